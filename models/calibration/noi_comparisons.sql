-- Quartiles of our NOI over the property's own by size and vintage, by the underwriting and by the simple proxy.

with

statistics as (
  select
    split_part(underwriting.cell, ' ', 1) as population,
    split_part(underwriting.cell, ' ', 2) as size,
    split_part(underwriting.cell, ' ', 3) as vintage,
    underwriting.n,
    rounded(underwriting.q1) as underwriting_q1,
    rounded(underwriting.median) as underwriting_median,
    rounded(underwriting.q3) as underwriting_q3,
    rounded(proxy.q1) as proxy_q1,
    rounded(proxy.median) as proxy_median,
    rounded(proxy.q3) as proxy_q3
  from weighted_quartiles('underwriting_values') as underwriting
  join weighted_quartiles('proxy_values') as proxy on proxy.cell = underwriting.cell
),

judged as (
  select
    *,
    underwriting_median between parameter('least_median')::decimal(14, 2) and parameter('most_median')::decimal(14, 2)
      as is_median_near,
    (underwriting_q3 - underwriting_q1) * proxy_median < (proxy_q3 - proxy_q1) * underwriting_median as is_narrower
  from statistics
)

select
  population,
  size,
  vintage,
  n,
  underwriting_q1,
  underwriting_median,
  underwriting_q3,
  proxy_q1,
  proxy_median,
  proxy_q3,
  case
    when n < parameter('least_compared')::integer then 'too_few'
    when is_median_near and is_narrower then 'reached'
    when is_median_near then 'spread_not_reached'
    when is_narrower then 'median_not_reached'
    else 'neither_reached'
  end as aim,
  parameter(population || '_source') as source,
  parameter('comparison_as_of')::date as as_of
from judged

-- Quartiles of our NOI over the property's own by size, with vintage or year, for the underwriting and for the simple
-- proxy, with the medians of rents and expenses.

with

statistics as (
  select
    split_part(cell, ' ', 1) as population,
    split_part(cell, ' ', 2) as size,
    split_part(cell, ' ', 3) as vintage,
    split_part(cell, ' ', 4) as year,
    split_part(cell, ' ', -1) as figure,
    n,
    rounded(q1) as q1,
    rounded(median) as median,
    rounded(q3) as q3
  from weighted_quartiles('compared_ratios')
),

of_figure as (
  select
    underwriting.population,
    underwriting.size,
    underwriting.vintage,
    underwriting.year,
    underwriting.n,
    underwriting.q1 as underwriting_q1,
    underwriting.median as underwriting_median,
    underwriting.q3 as underwriting_q3,
    proxy.q1 as proxy_q1,
    proxy.median as proxy_median,
    proxy.q3 as proxy_q3,
    rent.median as rent_median,
    expenses.median as expenses_median
  from (select * from statistics where figure = 'underwriting') as underwriting
  join (select * from statistics where figure = 'proxy') as proxy using (population, size, vintage, year)
  left join (select * from statistics where figure = 'rent') as rent using (population, size, vintage, year)
  left join (select * from statistics where figure = 'expenses') as expenses using (population, size, vintage, year)
),

judged as (
  select
    *,
    underwriting_median between parameter('least_median')::decimal(14, 2) and parameter('most_median')::decimal(14, 2)
      as is_median_near,
    (underwriting_q3 - underwriting_q1) * proxy_median < (proxy_q3 - proxy_q1) * underwriting_median as is_narrower
  from of_figure
)

select
  population,
  size,
  vintage,
  year,
  n,
  underwriting_q1,
  underwriting_median,
  underwriting_q3,
  proxy_q1,
  proxy_median,
  proxy_q3,
  rent_median,
  expenses_median,
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

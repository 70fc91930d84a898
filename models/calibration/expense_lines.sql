-- Yearly expenses a unit by size, medians in dollars of the survey's year and of 2024.

with

statistics as (
  select
    split_part(cell, ' ', 1) as pooled_size,
    split_part(cell, ' ', 2) as line,
    n,
    rounded(q1) as q1,
    rounded(median) as survey_amount,
    rounded(q3) as q3
  from weighted_quartiles('expense_line_values')
)

select
  sizes.size,
  statistics.line,
  statistics.pooled_size,
  case when is_counted_where_paid(statistics.line) then 'who_paid' else 'all' end as counted,
  rounded(survey_amount * parameter('price_factor')::decimal(6, 4)) as amount,
  survey_amount,
  q1,
  q3,
  n,
  parameter('price_factor')::decimal(6, 4) as price_factor,
  parameter('survey_source') as source,
  parameter('survey_as_of')::date as as_of
from ref_building_sizes as sizes
join statistics on statistics.pooled_size = pooled_size(sizes.size)

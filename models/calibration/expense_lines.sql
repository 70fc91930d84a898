-- Yearly expenses a unit by size, in dollars of the survey's year and of 2024, of properties that pay property tax, run
-- for profit and collected rent. Owners without insurance or a manager do not count for these lines, because a buyer
-- will pay them. Sizes of 5 to 24 units are counted together.

with

lines as (
  unpivot (select * from trained where is_counted)
  on property_tax, insurance, payroll, repairs, owner_utilities, management, grounds, security, professional
  into name line value paid
),

line_values as (
  select pooled_size(size) || ' ' || line as cell, ratio_6(paid, units) as value, weight
  from lines
  where paid > 0 or not is_counted_where_paid(line)
)

select
  sizes.size,
  split_part(cell, ' ', 2) as line,
  split_part(cell, ' ', 1) as pooled_size,
  case when is_counted_where_paid(line) then 'who_paid' else 'all' end as counted,
  rounded(rounded(median) * price_factor()) as amount,
  rounded(median) as survey_amount,
  rounded(q1) as q1,
  rounded(q3) as q3,
  n,
  price_factor() as price_factor,
  survey_source() as source,
  survey_as_of() as as_of
from ref_building_sizes as sizes
join weighted_statistics('line_values') on split_part(cell, ' ', 1) = pooled_size(sizes.size)

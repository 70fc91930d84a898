-- Yearly expenses a unit by size, in dollars of the survey's year and of 2024, of properties that pay property tax, run
-- for profit and collected rent. Up to 12 units the mean, because a sum of medians of skewed lines is below a typical
-- sum; one decimal, as a few hundred owners support no more. Insurance: owners without it do not count.

with

lines as (
  unpivot (select * from trained where is_counted)
  on repairs, owner_utilities, insurance, payroll, grounds, security, professional, other
  into name line value paid
),

line_values as (
  select size || ' ' || line as cell, ratio_6(paid, units) as value, weight
  from lines
  where paid > 0 or line <> 'insurance'
)

select
  split_part(cell, ' ', 1) as size,
  split_part(cell, ' ', 2) as line,
  case
    when split_part(cell, ' ', 1) in ('2_4', '5_12') then round(mean, 1) else median
  end::decimal(14, 2) as survey_amount,
  rounded(survey_amount * price_factor()) as amount,
  n,
  survey_source() as source,
  survey_as_of() as as_of
from weighted_statistics('line_values')
where split_part(cell, ' ', 1) <> '13_24'

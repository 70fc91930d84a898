-- Yearly amount per unit of each expense, for properties that pay property tax, run for profit and collected rent.
-- Owners without insurance or a manager do not count for these lines, because a buyer will pay them.

with

counted as (
  select
    pooled_size,
    weight,
    units,
    property_tax,
    insurance,
    payroll,
    repairs,
    owner_utilities,
    management,
    grounds,
    security,
    professional
  from survey_properties
  where is_for_profit and is_taxed and collected > 0
),

lines as (
  unpivot counted
  on property_tax, insurance, payroll, repairs, owner_utilities, management, grounds, security, professional
  into name line value amount
)

select
  pooled_size || ' ' || line as cell,
  amount_per_unit(amount, units) as value,
  weight
from lines
where amount > 0 or not is_counted_where_paid(line)

-- One row per property of the survey whose expenses are complete: taxed, for profit, all lines but the other expenses
-- answered. An owner who manages and pays neither manager nor staff is charged the management fee of the size, as a
-- lender would. Ratios outside of the declared limits are dropped.

with

complete as (
  select
    *,
    property_tax + payroll + insurance + owner_utilities + repairs + management + professional + security + grounds
      + coalesce(other, 0) as paid
  from survey_properties
  where is_for_profit and is_taxed and property_tax is not null and collected > 0
),

charged as (
  select
    complete.*,
    case when is_managed_by_owner and management <= 0 and payroll <= 0 then rounded(collected * fees.share) else 0 end
      as management_charge
  from complete
  join management_fees as fees on fees.size = complete.size
)

select
  property,
  size,
  vintage,
  collected,
  paid + management_charge as expenses,
  ratio_6(paid + management_charge, collected) as ratio,
  weight
from charged
where paid is not null
  and ratio between parameter('least_ratio')::decimal(18, 6) and parameter('most_ratio')::decimal(18, 6)

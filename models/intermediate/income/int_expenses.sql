-- One row per property: income after vacancy, operating expenses line by line, and NOI. The lines other than the tax
-- are tables of sizes, not facts of the building, so they are drawn toward the typical ratio of such buildings. At any
-- price P, NOI is min(noi_highest, noi_untaxed - tax_per_dollar x P); offers use it at their own price.
-- Key: id
-- Not null: insurance_state_factor, insurance_basis

with

inputs as (
  select
    *,
    coalesce(insurance_states.factor, 1)::decimal(16, 4) as insurance_state_factor,
    case when insurance_states.factor is null then 'size' else 'size_and_state' end as insurance_basis
  from int_properties
  join int_buildings using (id)
  join int_rents_in_place using (id)
  join int_property_taxes using (id)
  join int_vacancies using (id)
  left join ref_insurance_states as insurance_states using (state)
  cross join terms
),

incomes as (
  select
    *,
    in_percent(typical_ratio) as expense_typical_pct,
    rounded(wide(units) * contract_rent * months_per_year) as gross_potential_rent,
    rounded(wide(gross_potential_rent) * (1 - as_share(vacancy_pct))) as effective_gross_income
  from inputs
),

lines as (
  select
    *,
    rounded(wide(units) * insurance_per_unit * insurance_size_factor * insurance_state_factor) as insurance,
    rounded(wide(effective_gross_income) * management_share) as management,
    rounded(wide(units) * repairs_per_unit) as repairs,
    rounded(wide(units) * utilities_per_unit) as owner_utilities,
    rounded(wide(units) * other_per_unit) as other,
    rounded(wide(units) * reserves_per_unit) as reserves,
    insurance + management + repairs + owner_utilities + other as lines_without_tax,
    rounded(wide(effective_gross_income) * typical_tax_share) as typical_tax
  from incomes
),

totals as (
  select
    *,
    rounded(
      wide(lines_without_tax) * (1 - typical_weight)
      + (wide(effective_gross_income) * as_share(expense_typical_pct) - typical_tax) * typical_weight
    ) as expenses_without_tax,
    case when tax_after_reset is null then total(expenses_without_tax + typical_tax)
      else total(expenses_without_tax + tax_after_reset)
    end as operating_expenses,
    case when tax_current is null then total(expenses_without_tax + typical_tax)
      else total(expenses_without_tax + tax_current)
    end as operating_expenses_at_current_tax
  from lines
)

select
  id, gross_potential_rent, vacancy_pct, vacancy_basis, effective_gross_income,

  -- Lines
  insurance, insurance_state_factor, insurance_basis, management, management_share, repairs, owner_utilities, other,
  reserves, reserves_per_unit, expense_typical_pct,

  -- Totals, and NOI over the price: a known bill bounds it, below it falls with the tax of the price
  expenses_without_tax,
  operating_expenses,
  total(effective_gross_income - operating_expenses) as noi_after_reset,
  total(effective_gross_income - operating_expenses_at_current_tax) as noi_at_current_tax,
  total(effective_gross_income - expenses_without_tax - tax_floor) as noi_highest,
  rounded(effective_gross_income - expenses_without_tax - tax_fixed) as noi_untaxed
from totals;

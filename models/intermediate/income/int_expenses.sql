-- One row per property: income after vacancy, operating expenses line by line, and the check of their ratio against the
-- survey of landlords. A ratio outside the quartiles of its size and age is replaced by the nearer quartile. Without a
-- price there is no tax, so the ratio of the cell replaces all lines. At any price P, NOI is
-- max(noi_lowest, min(noi_highest, noi_untaxed - tax_per_dollar x P)); offers use it at their own price.
-- Key: id
-- Not null: insurance_state_factor, insurance_basis

with

-- Assumptions by size of building
by_size as (
  select
    sizes.size,
    management.value::decimal(16, 4) as management_share,
    reserves.value::decimal(14, 2) as reserves_per_unit
  from ref_building_sizes as sizes
  join declared_assumptions as management on management.key = 'management_share_' || sizes.size
  join declared_assumptions as reserves on reserves.key = 'reserves_per_unit_' || sizes.size
),

inputs as (
  select
    properties.id,
    properties.units,
    rents.contract_rent,
    vacancies.vacancy_pct,
    vacancies.vacancy_basis,
    insurance_sizes.factor as insurance_size_factor,
    coalesce(insurance_states.factor, 1)::decimal(16, 4) as insurance_state_factor,
    case when insurance_states.state is null then 'size' else 'size_and_state' end as insurance_basis,
    by_size.management_share,
    by_size.reserves_per_unit,
    repairs.amount as repairs_per_unit,
    utilities.amount as utilities_per_unit,
    taxes.tax_current,
    taxes.tax_after_reset,
    taxes.tax_fixed,
    taxes.tax_floor,
    expense_cells.q1,
    expense_cells.median,
    expense_cells.q3,
    expense_cells.shrunk,
    terms.*
  from int_properties as properties
  join int_building_cells as cells on cells.id = properties.id
  join int_rents_in_place as rents on rents.id = properties.id
  join int_property_taxes as taxes on taxes.id = properties.id
  left join by_size on by_size.size = cells.size
  join int_vacancies as vacancies on vacancies.id = properties.id
  left join ref_insurance_sizes as insurance_sizes on insurance_sizes.size = cells.size
  left join ref_insurance_states as insurance_states on insurance_states.state = properties.state
  left join ref_expense_lines as repairs on repairs.size = cells.size and repairs.line = 'repairs'
  left join ref_expense_lines as utilities on utilities.size = cells.size and utilities.line = 'owner_utilities'
  left join ref_expense_cells as expense_cells
    on expense_cells.size = cells.size
    and expense_cells.vintage = cells.vintage
  cross join terms
),

incomes as (
  select
    *,
    in_percent(q1) as expense_q1_pct,
    in_percent(median) as expense_median_pct,
    in_percent(q3) as expense_q3_pct,
    in_percent(shrunk) as expense_typical_pct,
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
    insurance + management + repairs + owner_utilities + other as lines_without_tax
  from incomes
),

totals as (
  select
    *,
    rounded(wide(effective_gross_income) * as_share(expense_q1_pct)) as expenses_least,
    rounded(wide(effective_gross_income) * as_share(expense_q3_pct)) as expenses_most,
    total(tax_after_reset + lines_without_tax) as lines_after_reset,
    total(tax_current + lines_without_tax) as lines_at_current_tax,
    expenses_that_count(
      effective_gross_income, lines_after_reset, expenses_least, expenses_most, expense_typical_pct
    ) as operating_expenses,
    expenses_that_count(
      effective_gross_income, lines_at_current_tax, expenses_least, expenses_most, expense_typical_pct
    ) as operating_expenses_at_current_tax
  from lines
),

-- NOI over the price: the quartiles and a known bill bound it, between them it falls with the tax of the price
prices as (
  select
    *,
    total(effective_gross_income - expenses_most) as noi_lowest,
    greatest(expenses_least, lines_without_tax + tax_floor) as expenses_least_at_bill,
    case
      when lines_after_reset is not null
        then greatest(noi_lowest, total(effective_gross_income - expenses_least_at_bill))
    end as noi_highest,
    rounded(effective_gross_income - lines_without_tax - tax_fixed) as noi_untaxed
  from totals
)

select
  id,
  gross_potential_rent,
  vacancy_pct,
  vacancy_basis,
  effective_gross_income,

  -- Lines
  insurance,
  insurance_size_factor,
  insurance_state_factor,
  insurance_basis,
  management,
  management_share,
  repairs,
  repairs_per_unit,
  owner_utilities,
  utilities_per_unit,
  other,
  reserves,
  reserves_per_unit,

  -- Totals and their check
  case
    when effective_gross_income is null then 'no_income'
    when lines_after_reset is null then 'no_tax_ratio_of_cell'
    when lines_after_reset < expenses_least then 'below_quartiles'
    when lines_after_reset > expenses_most then 'above_quartiles'
    else 'within_quartiles'
  end as expense_check,
  expense_q1_pct,
  expense_median_pct,
  expense_q3_pct,
  expense_typical_pct,
  operating_expenses,
  total(effective_gross_income - operating_expenses) as noi_after_reset,
  total(effective_gross_income - operating_expenses_at_current_tax) as noi_at_current_tax,
  noi_lowest,
  noi_highest,
  noi_untaxed
from prices;

-- audit every_size_has_a_cell: a property with units has the figures of its size and age
select * from int_expenses
where reserves is not null and (expense_q1_pct is null or repairs is null or owner_utilities is null);

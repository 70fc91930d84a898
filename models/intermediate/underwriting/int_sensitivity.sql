-- One row per property: its underwriting under other rents, vacancies, expense ratios and loan rates, in every
-- combination, and its debt over 20, 25 and 30 years. The grid is declared as distances from the declared vacancy and
-- rate, so it moves with the metro's vacancy and the day's rate. When rents fall, the management fee follows income and
-- the other expenses keep their dollar amounts.
-- Key: id

with

rents as (
  select key, value::decimal(6, 4) as rent_change
  from declared_assumptions
  where starts_with(key, 'grid_rent_')
),

vacancies as (
  select key, value::decimal(6, 4) - vacancy as vacancy_change
  from declared_assumptions
  cross join terms
  where starts_with(key, 'grid_vacancy_')
),

expenses as (
  select key, value::decimal(6, 4) as expense_change
  from declared_assumptions
  where starts_with(key, 'grid_expenses_')
),

-- The loans: each rate of the grid over each number of years of the table
rates as (
  select
    grid.key,
    rounded(rates.loan_rate_pct + grid.value::decimal(14, 2) - terms.loan_rate_pct) as rate_pct,
    rates.loan_years
  from declared_assumptions as grid
  cross join int_loan_rates as rates
  cross join terms
  where starts_with(grid.key, 'grid_rate_')
),

loans as (
  select
    rates.key, rates.rate_pct, factors.years, rates.loan_years,
    coalesce(factors.monthly_factor, error(not_in_loan_factors(rates.rate_pct, loan_years))) as monthly_factor
  from rates
  left join ref_loan_factors as factors on factors.rate_pct = rates.rate_pct
),

scenario_list as (
  select
    list(
      struct_pack(rent_change, vacancy_change, expense_change) order by rents.key, vacancies.key, expenses.key
    ) as scenarios
  from rents
  cross join vacancies
  cross join expenses
),

loan_list as (
  select
    list(struct_pack(years, rate_pct, monthly_factor) order by years, key) as loans,
    list(struct_pack(rate_pct, monthly_factor) order by key) filter (where years = loan_years) as rates
  from loans
),

properties as (
  select
    *,
    rounded(operating_expenses - management) as fixed_expenses,
    (vacancy_pct * 0.01)::decimal(6, 4) as own_vacancy,
    case
      when has_no_rent(dscr_reason) then 'not_applicable'
      when cap_rate_underwritten is null then 'insufficient_data'
      else 'computed'
    end as status
  from int_underwriting
  join int_properties using (id)
  join int_expenses using (id)
),

-- Payment per loan, and the scenarios: they do not depend on each other
payments_and_incomes as (
  select
    properties.*,
    case when status = 'computed' then list_transform(rates, lambda rate: struct_insert(
      rate, monthly_payment := grid_monthly_payment(loan_amount, rate.monthly_factor)
    )) end as payments,
    case when status = 'computed' then list_transform(loans, lambda loan: struct_insert(
      loan, monthly_payment := grid_monthly_payment(loan_amount, loan.monthly_factor)
    )) end as loan_payments,
    case when status = 'computed' then list_transform(scenarios, lambda scenario: struct_insert(
      scenario, vacancy := own_vacancy + scenario.vacancy_change
    )) end as scenarios
  from properties
  cross join scenario_list
  cross join loan_list
),

nois as (
  select
    payments_and_incomes.*,
    list_transform(scenarios, lambda scenario: grid_noi(
      gross_potential_rent, scenario.rent_change, scenario.vacancy, management_share, fixed_expenses,
      effective_gross_income, scenario.expense_change
    )) as incomes,
    list_transform(payments, lambda payment: grid_annual_debt_service(months_per_year, payment.monthly_payment))
      as services
  from payments_and_incomes
  cross join terms
),

grids as (
  select
    nois.* exclude (scenarios, payments, loan_payments, incomes, services),
    list_transform(payments, lambda payment, i: {
      'rate_pct': as_text(payment.rate_pct),
      'monthly_factor': as_text(payment.monthly_factor),
      'monthly_payment': as_text(payment.monthly_payment),
      'annual_debt_service': as_text(services[i])
    }) as rates,
    list_transform(loan_payments, lambda payment: {
      'years': payment.years,
      'rate_pct': as_text(payment.rate_pct),
      'monthly_factor': as_text(payment.monthly_factor),
      'monthly_payment': as_text(payment.monthly_payment),
      'annual_debt_service': as_text(grid_annual_debt_service(months_per_year, payment.monthly_payment)),
      'dscr': case when dscr_status <> 'not_applicable' then
        as_text(grid_dscr(noi_underwritten, grid_annual_debt_service(months_per_year, payment.monthly_payment)))
      end
    }) as loans,
    list_transform(case when incomes is not null then list_zip(scenarios, incomes) end, lambda cell: {
      'rent_change': as_text(cell[1].rent_change::decimal(6, 2)),
      'vacancy': as_text(cell[1].vacancy),
      'expense_change': as_text(cell[1].expense_change::decimal(6, 2)),
      'noi': as_text(cell[2]),
      'cap_rate_pct': as_text(grid_cap_rate_pct(cell[2], list_price)),
      'dscr': case when dscr_status <> 'not_applicable' then
        list_transform(services, lambda service: as_text(grid_dscr(cell[2], service)))
      end
    }) as cells
  from nois
  cross join terms
)

select
  id,
  json_object(
    'status', status,
    'reliability', underwrite_reliability,
    'formulas', formulas,
    'inputs', json_object(
      'months_per_year', assumption('months_per_year'),
      'gross_potential_rent', as_text(gross_potential_rent),
      'effective_gross_income', as_text(effective_gross_income),
      'management_share', as_text(management_share),
      'fixed_expenses', as_text(fixed_expenses),
      'list_price', as_text(list_price),
      'loan_amount', as_text(loan_amount)
    ),
    'rates', coalesce(rates, []),
    'cells', coalesce(cells, []),
    'loans', coalesce(loans, [])
  ) as sensitivity
from grids
cross join int_grid_formulas

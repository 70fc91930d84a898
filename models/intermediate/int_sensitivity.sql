-- One row per property: its underwriting under other rents, vacancies, expense ratios and loan rates. The values of
-- each are declared assumptions, and the grid has every combination.

with

terms as (
  select
    assumption('months_per_year')::decimal(2, 0) as months_per_year
),

rents as (
  select key, value::decimal(6, 4) as rent_change
  from declared_assumptions
  where starts_with(key, 'grid_rent_')
),

vacancies as (
  select key, value::decimal(6, 4) as vacancy
  from declared_assumptions
  where starts_with(key, 'grid_vacancy_')
),

expenses as (
  select key, value::decimal(6, 4) as expense_change
  from declared_assumptions
  where starts_with(key, 'grid_expenses_')
),

rates as (
  select
    rate.key,
    rate.value as rate_pct,
    factor.value as monthly_factor
  from declared_assumptions as rate
  join declared_assumptions as factor
    on factor.key = replace(replace(rate.key, 'grid_rate_', 'grid_monthly_factor_'), '_pct', '')
  where starts_with(rate.key, 'grid_rate_')
),

scenarios as (
  select list({
    'rent_change': rent_change,
    'vacancy': vacancy,
    'expense_change': expense_change
  } order by rents.key, vacancies.key, expenses.key) as scenarios
  from rents
  cross join vacancies
  cross join expenses
),

rate_list as (
  select list({'rate_pct': rate_pct, 'monthly_factor': monthly_factor} order by key) as rates
  from rates
),

properties as (
  select
    *,
    case
      when has_no_rent(dscr_reason) then 'not_applicable'
      when cap_rate_underwritten is null then 'insufficient_data'
      else 'computed'
    end as status
  from int_underwriting
),

-- The payment at each rate, and the income of each scenario, which the rate does not change
payments_and_incomes as (
  select
    properties.*,
    scenarios,
    case when status = 'computed' then
      list_transform(rates, lambda rate: {
        'rate_pct': rate.rate_pct,
        'monthly_factor': rate.monthly_factor,
        'monthly_payment': rounded(loan_amount * rate.monthly_factor::decimal(22, 20))
      })
    end as payments,
    case when status = 'computed' then
      list_transform(scenarios, lambda scenario: rounded(
        wide(gross_potential_rent)
        * (1 + scenario.rent_change)
        * (1 - scenario.vacancy)
        * (1 - (expense_ratio_pct * 0.01)::decimal(6, 4) - scenario.expense_change)
      ))
    end as incomes
  from properties
  cross join scenarios
  cross join rate_list
  cross join terms
),

debt_service as (
  select
    payments_and_incomes.*,
    list_transform(payments, lambda payment: rounded(months_per_year * payment.monthly_payment)) as services
  from payments_and_incomes
  cross join terms
),

grids as (
  select
    * exclude (scenarios, payments, incomes, services),
    list_transform(payments, lambda payment, i: {
      'rate_pct': payment.rate_pct,
      'monthly_factor': payment.monthly_factor,
      'monthly_payment': as_text(payment.monthly_payment),
      'annual_debt_service': as_text(services[i])
    }) as rates,
    list_transform(case when incomes is not null then list_zip(scenarios, incomes) end, lambda cell: {
      'rent_change': as_text(cell[1].rent_change::decimal(6, 2)),
      'vacancy': as_text(cell[1].vacancy::decimal(6, 2)),
      'expense_change': as_text(cell[1].expense_change::decimal(6, 2)),
      'noi': as_text(cell[2]),
      'cap_rate_pct': as_text(percentage(cell[2], list_price)),
      'dscr': case when dscr_status <> 'not_applicable' then
        list_transform(services, lambda service: as_text(quotient(cell[2], service)))
      end
    }) as cells
  from debt_service
)

select
  id,
  json_object(
    'status', status,
    'reliability', underwrite_reliability,
    'formulas', json_object(
      'monthly_payment', 'round2(loan_amount * monthly_factor)',
      'annual_debt_service', 'round2(months_per_year * monthly_payment)',
      'noi', 'round2(gross_potential_rent * (1 + rent_change)'
        || ' * (1 - vacancy) * (1 - expense_ratio_pct / 100 - expense_change))',
      'cap_rate_pct', 'round2(noi / list_price * 100)',
      'dscr', 'round2(noi / annual_debt_service)'
    ),
    'inputs', json_object(
      'gross_potential_rent', as_text(gross_potential_rent),
      'months_per_year', assumption('months_per_year'),
      'expense_ratio_pct', as_text(expense_ratio_pct),
      'list_price', as_text(list_price),
      'loan_amount', as_text(loan_amount)
    ),
    'rates', coalesce(rates, []),
    'cells', coalesce(cells, [])
  ) as sensitivity
from grids
cross join terms

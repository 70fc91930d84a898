-- One row per property: the figures of debt as formulas over named inputs, each with its result. Figures and
-- assumptions are columns under the names that formulas use.
-- Key: id

with

terms as (
  select
    assumption('months_per_year') as months_per_year,
    assumption('loan_to_value') as loan_to_value,
    assumption('loan_rate_spread') as loan_rate_spread,
    assumption('loan_rate_pct') as declared_loan_rate_pct,
    assumption('loan_coverage') as loan_coverage,
    assumption('closing_cost_share') as closing_cost_share
),

figures as (
  select
    underwriting.*,
    coverage.* exclude (id),
    expenses.insurance,
    taxes.tax_after_reset,
    rates.loan_rate_pct,
    rates.survey_rate_pct,
    rates.monthly_factor,
    rates.annual_constant
  from int_underwriting as underwriting
  cross join int_loan_rates as rates
  join int_debt_coverage as coverage on coverage.id = underwriting.id
  join int_expenses as expenses on expenses.id = underwriting.id
  join int_property_taxes as taxes on taxes.id = underwriting.id
),

-- Formulas take every value as text
texts as (
  select cast(columns(*) as varchar)
  from figures
)

select
  id,
  steps_of([
    -- Rate
    case when survey_rate_pct is null
      then step(
        'loan_rate_pct',
        'declared_loan_rate_pct',
        struct_pack(declared_loan_rate_pct),
        loan_rate_pct
      )
      else step(
        'loan_rate_pct',
        'survey_rate_pct + loan_rate_spread',
        struct_pack(survey_rate_pct, loan_rate_spread),
        loan_rate_pct
      )
    end,

    -- The loan that the price needs
    step('loan_amount', 'round2(list_price * loan_to_value)', struct_pack(list_price, loan_to_value), loan_amount),
    step(
      'monthly_payment',
      'round2(loan_amount * monthly_factor)',
      struct_pack(loan_amount, monthly_factor),
      monthly_payment
    ),
    step(
      'annual_debt_service',
      'round2(months_per_year * monthly_payment)',
      struct_pack(months_per_year, monthly_payment),
      annual_debt_service
    ),
    step('dscr', 'round2(noi / annual_debt_service)', struct_pack(noi, annual_debt_service), dscr),
    step(
      'claimed_dscr',
      'round2(claimed_noi / annual_debt_service)',
      struct_pack(claimed_noi, annual_debt_service),
      claimed_dscr
    ),
    step(
      'dscr_underwritten',
      'round2(noi_underwritten / annual_debt_service)',
      struct_pack(noi_underwritten, annual_debt_service),
      dscr_underwritten
    ),
    step('debt_yield_pct', 'round2(noi / loan_amount * 100)', struct_pack(noi, loan_amount), debt_yield_pct),
    step(
      'break_even_occupancy_pct',
      'round2((effective_gross_income - noi_underwritten + annual_debt_service) / gross_potential_rent * 100)',
      struct_pack(effective_gross_income, noi_underwritten, annual_debt_service, gross_potential_rent),
      break_even_occupancy_pct
    ),
    step(
      'rent_over_pitia',
      'round2(gross_potential_rent / (annual_debt_service + tax_after_reset + insurance))',
      struct_pack(gross_potential_rent, annual_debt_service, tax_after_reset, insurance),
      rent_over_pitia
    ),

    -- The loan that a lender sizes
    step('net_cash_flow', 'noi_underwritten - reserves', struct_pack(noi_underwritten, reserves), net_cash_flow),
    case when loan_binding in ('none', 'minimum_loan')
      then step('loan_sized', '0', '{}'::json, loan_sized)
      else step(
        'loan_sized',
        'min(loan_amount, floor_to(net_cash_flow / (loan_coverage * annual_constant), 1))',
        struct_pack(loan_amount, net_cash_flow, loan_coverage, annual_constant),
        loan_sized
      )
    end,
    step(
      'debt_service_sized',
      'round2(months_per_year * round2(loan_sized * monthly_factor))',
      struct_pack(months_per_year, loan_sized, monthly_factor),
      debt_service_sized
    ),
    step(
      'cash_flow_after_debt',
      'net_cash_flow - debt_service_sized',
      struct_pack(net_cash_flow, debt_service_sized),
      cash_flow_after_debt
    ),
    step(
      'cash_needed',
      'list_price - loan_sized + round2(list_price * closing_cost_share)',
      struct_pack(list_price, loan_sized, closing_cost_share),
      cash_needed
    ),
    step(
      'cash_on_cash_pct',
      'round2(cash_flow_after_debt / cash_needed * 100)',
      struct_pack(cash_flow_after_debt, cash_needed),
      cash_on_cash_pct
    )
  ]) as steps
from texts
cross join terms

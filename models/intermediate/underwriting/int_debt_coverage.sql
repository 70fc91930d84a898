-- One row per property: how its income carries a loan. Coverage, debt yield and break-even at the loan that the price
-- needs; the loan that a lender sizes, by the lower of loan-to-value and coverage; and the cash that a buyer needs.
-- Key: id

with

inputs as (
  select * replace (annual_constant::decimal(22, 20) as annual_constant)
  from int_underwriting
  join int_properties using (id)
  join int_expenses using (id)
  join int_property_taxes using (id)
  cross join int_loan_rates
  cross join terms
),

-- At the loan that the price needs
coverage as (
  select
    *,
    not has_no_loan(dscr_reason) and list_price is not null and noi_underwritten is not null as is_sized,
    case when dscr_reason is null then quotient(noi, annual_debt_service) end as dscr,
    case when dscr_reason is null then quotient(claimed_noi, annual_debt_service) end as claimed_dscr,
    case when is_sized then quotient(noi_underwritten, annual_debt_service) end as dscr_underwritten,
    case when dscr_reason is null then percentage(noi, loan_amount) end as debt_yield_pct,
    case when is_sized then percentage(operating_expenses + annual_debt_service, gross_potential_rent) end
      as break_even_occupancy_pct,
    case
      when is_sized and units <= small_units_max
        then quotient(gross_potential_rent, annual_debt_service + tax_after_reset + insurance)
    end as rent_over_pitia,
    case
      when list_price is not null
        then loan_carried_by(net_cash_flow, loan_amount, loan_coverage * annual_constant)
    end as loan_carried
  from inputs
),

-- The loan that a lender sizes
sized as (
  select
    *,
    case
      when not is_sized then null
      when net_cash_flow <= 0 then 'none'
      when loan_carried < minimum_loan then 'minimum_loan'
      when loan_carried < loan_amount then 'debt_coverage'
      else 'loan_to_value'
    end as loan_binding,
    case
      when not is_sized then null
      when loan_carried < minimum_loan then 0
      else loan_carried
    end as loan_sized,
    rounded(months_per_year * payment_of(loan_sized, monthly_factor)) as debt_service_sized,
    total(net_cash_flow - debt_service_sized) as cash_flow_after_debt,
    total(list_price - loan_sized + rounded(wide(list_price) * closing_cost_share)) as cash_needed
  from coverage
)

select
  id,

  -- At the loan that the price needs
  dscr, claimed_dscr, dscr_underwritten, debt_yield_pct, break_even_occupancy_pct, rent_over_pitia,

  -- At the loan that a lender sizes
  loan_sized, loan_binding, debt_service_sized, cash_flow_after_debt, cash_needed,
  percentage(cash_flow_after_debt, cash_needed) as cash_on_cash_pct
from sized

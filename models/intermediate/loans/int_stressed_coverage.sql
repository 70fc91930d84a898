-- One row per property: debt coverage with less rent and a higher rate, on the loan that the income supports. Coverage
-- on a loan of a fixed share of the price would only repeat the cap rate. A lender makes the loan that the income
-- carries and checks the coverage left in a bad year, which depends on the share of income that expenses take. Claims
-- are ignored, because a claimed NOI rises with the price. So is the minimum loan size of lenders, which would be a
-- cliff.
-- Key: id

with

inputs as (
  select
    underwriting.id,
    underwriting.effective_gross_income,
    underwriting.management,
    underwriting.noi_underwritten,
    underwriting.noi_scoring,
    underwriting.reserves,
    underwriting.net_cash_flow,
    underwriting.loan_amount,
    rates.annual_constant::decimal(22, 20) as annual_constant,
    rates.stressed_monthly_factor,
    terms.*
  from int_underwriting as underwriting
  cross join int_loan_rates as rates
  cross join terms
),

loans as (
  select
    *,
    -- The management fee follows income; the other expenses keep their dollar amounts
    case
      when noi_scoring is not null
        then rounded(noi_underwritten + stress_coverage_rent * (effective_gross_income - management))
    end as noi_stressed,
    case when noi_scoring is not null then loan_carried_by(net_cash_flow, loan_amount, loan_coverage * annual_constant)
    end as loan_supported
  from inputs
),

payments as (
  select
    *,
    rounded(months_per_year * payment_of(loan_supported, stressed_monthly_factor)) as debt_service_stressed,
    case when debt_service_stressed > 0 then quotient(noi_stressed - reserves, debt_service_stressed) end
      as dscr_stressed
  from loans
)

select
  id,
  noi_stressed,
  loan_supported,
  debt_service_stressed,
  dscr_stressed
from payments

-- One row per property: debt coverage with less rent and a higher rate, on the loan that the income supports. Coverage
-- on a loan of a fixed share of the price would only repeat the cap rate. A lender makes the loan that the income
-- carries and checks the coverage left in a bad year, which depends on the share of income that expenses take. Claims
-- are ignored, because a claimed NOI rises with the price. So is the minimum loan size of lenders, which would be a
-- cliff.
-- Key: id

with

terms as (
  select
    assumption('months_per_year')::decimal(2, 0) as months_per_year,
    assumption('stress_coverage_rent')::decimal(4, 2) as rent_change,
    stressed_monthly_factor,
    assumption('loan_coverage')::decimal(4, 2) * annual_constant::decimal(22, 20) as loan_divisor
  from int_loan_rates
),

incomes as (
  select
    underwriting.id,
    underwriting.loan_amount,
    underwriting.noi_scoring,
    underwriting.reserves,
    noi_underwritten - reserves as lendable_income,
    -- Expenses that follow income fall with it; the others keep their dollar amounts
    case when noi_scoring is not null
      then rounded(noi_underwritten + rent_change * (effective_gross_income - variable_expenses))
    end as noi_stressed
  from int_underwriting as underwriting
  cross join terms
),

loans as (
  select
    incomes.*,
    case when noi_scoring is not null then loan_carried_by(lendable_income, loan_amount, loan_divisor) end
      as loan_supported
  from incomes
  cross join terms
),

payments as (
  select
    loans.*,
    payment_of(loan_supported, stressed_monthly_factor) as payment_stressed,
    rounded(months_per_year * payment_stressed) as debt_service_stressed
  from loans
  cross join terms
)

select
  id,
  noi_stressed,
  loan_supported,
  payment_stressed,
  debt_service_stressed,
  case when debt_service_stressed > 0 then quotient(noi_stressed - reserves, debt_service_stressed) end
    as dscr_stressed
from payments

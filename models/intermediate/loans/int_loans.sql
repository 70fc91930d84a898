-- One row per property: the bank loan and the seller's loan at the asking price, whether or not a lender makes one of
-- this size.
-- Key: id

with

terms as (
  select
    assumption('loan_to_value')::decimal(6, 4) as loan_to_value,
    assumption('seller_down_share')::decimal(6, 4) as seller_down_share,
    assumption('seller_monthly_factor')::decimal(22, 20) as seller_monthly_factor,
    assumption('months_per_year')::decimal(2, 0) as months_per_year
),

loans as (
  select
    id,
    rounded(wide(list_price) * loan_to_value) as loan_amount,
    rounded(wide(list_price) * (1 - seller_down_share)) as seller_loan
  from int_properties
  cross join terms
),

payments as (
  select
    loans.*,
    payment_of(loan_amount, monthly_factor) as monthly_payment,
    payment_of(loan_amount, stressed_monthly_factor) as stressed_payment,
    payment_of(seller_loan, seller_monthly_factor) as seller_payment
  from loans
  cross join int_loan_rates
  cross join terms
)

select
  id,
  loan_amount,
  monthly_payment,
  rounded(months_per_year * monthly_payment) as annual_debt_service,
  rounded(months_per_year * stressed_payment) as stressed_debt_service,
  seller_loan,
  seller_payment,
  rounded(months_per_year * seller_payment) as seller_debt_service
from payments
cross join terms

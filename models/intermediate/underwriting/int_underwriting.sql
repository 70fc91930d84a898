-- One row per property: the broker's claim, our underwriting, and the loans at the asking price.
-- Published money, percents and ratios are rounded to two decimals, half away from zero, and later figures are computed
-- from the rounded ones.
-- Key: id

with

inputs as (
  select
    * exclude (noi),
    properties.noi as stated_noi,
    date_part('year', properties.as_of) as this_year
  from int_properties as properties
  join int_market_rents using (id)
  join int_expenses using (id)
  cross join int_loan_rates
  cross join terms
),

-- The broker's figures: a stated NOI first, else the NOI that the advertised cap rate implies
claims as (
  select
    *,
    quotient(list_price, units) as price_per_unit,
    coalesce(stated_noi, rounded(wide(list_price) * as_share(cap_rate))) as claimed_noi,
    noi_after_reset as noi_underwritten,
    coalesce(stated_noi, claimed_noi, noi_underwritten) as noi,
    case
      when stated_noi is not null then 'stated'
      when claimed_noi is not null then 'derived_from_advertised_cap'
      when noi_underwritten is not null then 'underwritten'
    end as noi_source,
    percentage(stated_noi, list_price) as stated_cap_pct,
    case when cap_rate is null and stated_noi is not null then percentage(noi, list_price) end as cap_rate_derived,
    case
      when cap_rate is not null then 'advertised'
      when stated_noi is not null and list_price is not null then 'derived_from_stated_noi'
      else 'none'
    end as cap_rate_source,
    coalesce(cap_rate, cap_rate_derived) as claimed_cap_pct
  from inputs
),

-- The underwriting, and whether HUD's 2-bedroom rent fits this property at all
underwriting as (
  select
    *,
    percentage(operating_expenses, effective_gross_income) as expense_ratio_pct,
    percentage(noi_underwritten, list_price) as cap_rate_underwritten,
    total(claimed_cap_pct - cap_rate_underwritten) as cap_gap_pct,
    quotient(list_price, gross_potential_rent) as gross_rent_multiplier,
    total(noi_underwritten - reserves) as net_cash_flow,
    case
      when list_price is null then 'price_missing'
      when units is null then 'units_missing'
      when market_rent_2br is null then 'rent_missing'
      when list_price > wide(proxy_high_multiple) * market_rent_2br * units
        then 'price_per_unit_above_144x_monthly_2br_rent'
      when list_price < wide(proxy_low_multiple) * market_rent_2br * units
        then 'price_per_unit_below_24x_monthly_2br_rent'
    end as underwrite_reason
  from claims
),

-- The loans at the asking price, whether or not a lender makes one of this size
loans as (
  select
    *,
    rounded(wide(list_price) * loan_to_value) as loan_amount,
    payment_of(loan_amount, monthly_factor) as monthly_payment,
    rounded(months_per_year * monthly_payment) as annual_debt_service,
    rounded(wide(list_price) * (1 - seller_down_share)) as seller_loan,
    payment_of(seller_loan, seller_monthly_factor) as seller_payment,
    rounded(months_per_year * seller_payment) as seller_debt_service,
    -- Why a debt coverage would mean nothing
    case
      when units < minimum_units then 'single_unit'
      when not is_income_property then 'not_income_property'
      when loan_amount < minimum_loan then 'loan_below_minimum'
      when list_price is null and noi is null then 'price_and_noi_missing'
      when list_price is null then 'price_missing'
      when noi is null then 'noi_missing'
    end as dscr_reason
  from underwriting
)

select
  id,
  price_per_unit,

  -- Claim
  cap_rate_derived, cap_rate_source, noi, noi_source,
  case
    when stated_noi is null or cap_rate is null or list_price is null then 'not_checkable'
    when abs(stated_cap_pct - cap_rate) <= claim_tolerance then 'consistent'
    else 'inconsistent'
  end as claim_consistency,
  claimed_noi,
  -- Whether the listing's figures are impossible or contradict each other
  case
    when claimed_noi <= 0 then 'noi_not_positive'
    when claim_consistency = 'inconsistent' and abs(stated_cap_pct - cap_rate) > claim_contradiction
      then 'noi_contradicts_cap_rate'
    when year_built > this_year then 'year_built_in_future'
    else 'none'
  end as claim_issue,

  -- Underwriting
  expense_ratio_pct, noi_underwritten, net_cash_flow, cap_rate_underwritten, cap_gap_pct,
  case
    when claimed_cap_pct is null and cap_rate_underwritten is null then 'no_claim_and_no_underwriting'
    when claimed_cap_pct is null then 'no_claim'
    when cap_rate_underwritten is null then 'no_underwriting'
    when cap_rate_source = 'advertised' then 'advertised_cap_rate'
    else 'derived_cap_rate'
  end as cap_gap_basis,
  case
    when underwrite_reason is null then 'ok'
    when underwrite_reason = 'price_per_unit_above_144x_monthly_2br_rent' then 'proxy_out_of_range'
    else 'unknown'
  end as underwrite_reliability,
  underwrite_reason,

  -- Debt
  loan_amount, monthly_payment, annual_debt_service,
  case
    when has_no_loan(dscr_reason) then 'not_applicable'
    when dscr_reason is not null then 'insufficient_data'
    else 'computed'
  end as dscr_status,
  dscr_reason,
  gross_rent_multiplier,

  -- Debt to a seller who carries the loan
  seller_loan, seller_payment, seller_debt_service
from loans

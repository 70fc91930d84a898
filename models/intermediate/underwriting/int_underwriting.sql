-- One row per property: the broker's claim, our underwriting from HUD's rents, and the inputs of scores.
-- Published money, percents and ratios are rounded to two decimals, half away from zero, and later figures are computed
-- from the rounded ones.
-- Key: id

with

terms as (
  select
    assumption('proxy_high_multiple')::decimal(6, 0) as proxy_high_multiple,
    assumption('proxy_low_multiple')::decimal(6, 0) as proxy_low_multiple,
    assumption('minimum_loan')::decimal(14, 2) as minimum_loan,
    assumption('minimum_units')::integer as minimum_units,
    assumption('claim_tolerance')::decimal(14, 2) as claim_tolerance
),

-- The broker's figures: a stated NOI first, else the NOI that the advertised cap rate implies
claims as (
  select
    properties.id,
    properties.list_price,
    properties.units,
    properties.year_built,
    properties.is_income_property,
    rents.market_rent_2br,
    properties.noi as stated_noi,
    properties.cap_rate as advertised_cap,
    coalesce(properties.noi, rounded(wide(properties.list_price) * properties.cap_rate * 0.01)) as claimed_noi,
    case when properties.cap_rate is null then percentage(properties.noi, properties.list_price) end
      as cap_rate_derived,
    case
      when properties.cap_rate is not null then 'advertised'
      when properties.noi is not null and properties.list_price is not null then 'derived_from_stated_noi'
      else 'none'
    end as cap_rate_source,
    coalesce(properties.cap_rate, cap_rate_derived) as claimed_cap
  from int_properties as properties
  join int_market_rents as rents on rents.id = properties.id
),

underwriting as (
  select
    claims.*,
    proxies.noi_hud_2br,
    proxies.cap_rate_hud_2br,
    expenses.gross_potential_rent,
    expenses.vacancy_pct,
    expenses.vacancy_basis,
    expenses.effective_gross_income,
    expenses.noi_at_current_tax,
    expenses.noi_after_reset,
    expenses.noi_after_reset as noi_underwritten,
    expenses.reserves_per_unit,
    expenses.reserves,
    -- When rents fall, the management fee follows income and the other expenses keep their dollar amounts
    expenses.management as variable_expenses,
    percentage(effective_gross_income - noi_underwritten, effective_gross_income) as expense_ratio_pct
  from claims
  join int_hud_proxies as proxies on proxies.id = claims.id
  join int_expenses as expenses on expenses.id = claims.id
),

-- Whether HUD's 2-bedroom rent fits this property at all
fits as (
  select
    underwriting.*,
    coalesce(stated_noi, claimed_noi, noi_underwritten) as noi,
    case
      when stated_noi is not null then 'stated'
      when claimed_noi is not null then 'derived_from_advertised_cap'
      when noi_underwritten is not null then 'underwritten'
    end as noi_source,
    percentage(noi_underwritten, list_price) as cap_rate_underwritten,
    case
      when list_price is null then 'price_missing'
      when units is null then 'units_missing'
      when market_rent_2br is null then 'rent_missing'
      when list_price > wide(proxy_high_multiple) * market_rent_2br * units
        then 'price_per_unit_above_144x_monthly_2br_rent'
      when list_price < wide(proxy_low_multiple) * market_rent_2br * units
        then 'price_per_unit_below_24x_monthly_2br_rent'
    end as underwrite_reason
  from underwriting
  cross join terms
),

-- Whether a debt coverage is meaningful
debts as (
  select
    fits.*,
    loans.* exclude (id),
    case
      when units < minimum_units then 'single_unit'
      when not is_income_property then 'not_income_property'
      when loan_amount < minimum_loan then 'loan_below_minimum'
      when list_price is null and noi is null then 'price_and_noi_missing'
      when list_price is null then 'price_missing'
      when noi is null then 'noi_missing'
    end as dscr_reason
  from fits
  cross join terms
  join int_loans as loans on loans.id = fits.id
),

-- The NOI that scores use: a claim above the underwriting is ignored, a claim below it lowers the NOI half way
scoring_incomes as (
  select
    *,
    case
      when has_no_rent(dscr_reason) or dscr_reason = 'loan_below_minimum' then 'not_applicable'
      when dscr_reason is not null then 'insufficient_data'
      else 'computed'
    end as dscr_status,
    case when underwrite_reason is null and not has_no_rent(dscr_reason) then
      least(noi_underwritten, rounded((wide(coalesce(claimed_noi, noi_underwritten)) + noi_underwritten) * 0.5))
    end as noi_scoring
  from debts
)

select
  -- Property
  id,
  list_price,
  units,
  quotient(list_price, units) as price_per_unit,
  market_rent_2br,

  -- Claim
  advertised_cap as cap_rate,
  cap_rate_derived,
  cap_rate_source,
  noi,
  noi_source,
  case
    when stated_noi is null or advertised_cap is null or list_price is null then 'not_checkable'
    when abs(percentage(stated_noi, list_price) - advertised_cap) <= claim_tolerance then 'consistent'
    else 'inconsistent'
  end as claim_consistency,
  claimed_noi,

  -- Underwriting
  gross_potential_rent,
  vacancy_pct,
  vacancy_basis,
  effective_gross_income,
  rounded(effective_gross_income - noi_underwritten) as operating_expenses,
  rounded(variable_expenses) as variable_expenses,
  expense_ratio_pct,
  noi_at_current_tax,
  noi_after_reset,
  noi_underwritten,
  noi_hud_2br,
  cap_rate_hud_2br,
  reserves_per_unit,
  reserves,
  cap_rate_underwritten,
  rounded(claimed_cap - cap_rate_underwritten) as cap_gap_pct,
  case
    when claimed_cap is null and cap_rate_underwritten is null then 'no_claim_and_no_underwriting'
    when claimed_cap is null then 'no_claim'
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
  loan_amount,
  monthly_payment,
  annual_debt_service,
  dscr_status,
  dscr_reason,
  quotient(list_price, gross_potential_rent) as gross_rent_multiplier,

  -- Inputs of scores
  noi_scoring,
  percentage(noi_scoring, list_price) as cap_scoring_pct,
  coverage_after_reserves(noi_scoring, reserves_per_unit, units, annual_debt_service) as coverage_scoring,

  -- Debt to a seller who carries the loan
  seller_loan,
  seller_payment,
  seller_debt_service,
  coverage_after_reserves(noi_scoring, reserves_per_unit, units, seller_debt_service) as seller_coverage
from scoring_incomes
cross join terms;

-- audit reason_agrees: a reason is set exactly if the proxy is not ok
select * from int_underwriting
where (underwrite_reliability = 'ok') <> (underwrite_reason is null);

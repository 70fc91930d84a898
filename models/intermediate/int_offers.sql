-- One row per property: the offer at the declared target cap rate. The high end is the least of three limits: the
-- asking price, the value of the NOI at the target cap, and the price whose loan the NOI covers as lenders require. The
-- low end is the value under stress. If HUD's rent does not fit, the broker's claim is the only NOI, and the status
-- says so.

with

terms as (
  select
    assumption('target_cap_pct')::decimal(9, 4) * 0.01 as target_cap,
    assumption('offer_coverage')::decimal(4, 2) * assumption('loan_to_value')::decimal(4, 2)
      * annual_constant::decimal(22, 20) as coverage_divisor,
    assumption('offer_step')::integer as offer_step,
    assumption('vacancy')::decimal(4, 2) as vacancy,
    1 + assumption('stress_rent')::decimal(4, 2) as rent_left,
    assumption('stress_vacancy')::decimal(4, 2) as stress_vacancy,
    assumption('stress_expenses')::decimal(4, 2) as stress_expenses
  from int_loan_rates
),

statuses as (
  select
    *,
    case
      when has_no_rent(dscr_reason) then 'not_applicable'
      when noi_scoring > 0 then 'computed'
      when noi_scoring is not null then 'noi_not_positive'
      when underwrite_reliability = 'proxy_out_of_range' and claimed_noi > 0 then 'claimed_basis_unverified'
      when underwrite_reliability = 'proxy_out_of_range' then 'proxy_out_of_range_without_claim'
      when underwrite_reason = 'price_per_unit_below_24x_monthly_2br_rent' then 'price_below_proxy_range'
      else 'insufficient_data'
    end as offer_status,
    cast(expense_ratio_pct * 0.01 as decimal(6, 4)) as expense_ratio
  from int_underwriting
),

incomes as (
  select
    *,
    case offer_status
      when 'computed' then 'noi_scoring'
      when 'claimed_basis_unverified' then 'claimed_noi'
    end as offer_basis,
    case offer_basis
      when 'noi_scoring' then noi_scoring
      when 'claimed_noi' then claimed_noi
    end as offer_noi
  from statuses
),

limits as (
  select
    incomes.*,
    target_cap,
    coverage_divisor,
    quotient_down_to(list_price, 1, offer_step) as limit_list_price,
    quotient_down_to(offer_noi, target_cap, offer_step) as limit_target_cap,
    quotient_down_to(offer_noi, coverage_divisor, offer_step) as limit_debt_coverage,
    least(limit_list_price, limit_target_cap, limit_debt_coverage) as high,
    quotient_down_to(
      wide(offer_noi) * rent_left * (1 - vacancy - stress_vacancy) * (1 - expense_ratio - stress_expenses),
      cast(target_cap as decimal(38, 6)) * (1 - vacancy) * (1 - expense_ratio),
      offer_step
    ) as value_under_stress
  from incomes
  cross join terms
)

select
  id,
  offer_status,
  case when offer_noi is not null then least(high, value_under_stress) end as offer_low,
  case when offer_noi is not null then high end as offer_high,
  case
    when offer_noi is null then null
    when wide(list_price) * target_cap <= offer_noi and wide(list_price) * coverage_divisor <= offer_noi
      then 'list_price'
    when target_cap >= coverage_divisor then 'target_cap'
    else 'debt_coverage'
  end as offer_binding,
  case when offer_noi is not null
    then wide(list_price) * target_cap <= offer_noi end as ask_at_or_below_target_value,

  -- Inputs of the range
  offer_basis,
  offer_noi,
  case when offer_noi is not null then limit_list_price end as limit_list_price,
  limit_target_cap,
  limit_debt_coverage
from limits

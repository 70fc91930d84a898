-- One row per property: the offer at the declared target cap rate. The high end is the least of three limits: the
-- asking price, the value of the NOI at the target cap less repairs, and the price whose loan the NOI covers as lenders
-- require. The low end is the value under stress less repairs. If HUD's rent does not fit, the broker's claim is the
-- only NOI, and the status says so.
-- Key: id

with

inputs as (
  select
    underwriting.id,
    underwriting.list_price,
    underwriting.vacancy_pct,
    underwriting.effective_gross_income,
    underwriting.management,
    underwriting.expense_ratio_pct,
    underwriting.underwrite_reason,
    underwriting.dscr_reason,
    underwriting.claimed_noi,
    underwriting.noi_scoring,
    scores.upfront_repairs,
    rates.annual_constant::decimal(22, 20) as annual_constant,
    terms.*
  from int_underwriting as underwriting
  join int_scores as scores on scores.id = underwriting.id
  cross join int_loan_rates as rates
  cross join terms
),

-- The NOI of the offer: the claim is the only one if the price is above the range in which HUD's rent fits
incomes as (
  select
    *,
    underwrite_reason is not distinct from 'price_per_unit_above_144x_monthly_2br_rent' as is_out_of_range,
    case
      when has_no_rent(dscr_reason) then null
      when noi_scoring > 0 then noi_scoring
      when noi_scoring is null and is_out_of_range and claimed_noi > 0 then claimed_noi
    end as income,
    percentage(management, effective_gross_income) as variable_expense_ratio_pct
  from inputs
),

-- Values in whole dollars, before repairs
values_of_income as (
  select
    *,
    quotient_down_to(income, as_share(target_cap_pct), 1) as value_at_target,
    quotient_down_to(income, offer_coverage * loan_to_value * annual_constant, 1) as value_at_coverage,
    -- Expenses that do not follow income stay as they are in dollars
    quotient_down_to(
      greatest(0, wide(income) * (
        (1 + stress_rent) * (1 - narrow(as_share(vacancy_pct)) - stress_vacancy)
          * (1 - narrow(as_share(variable_expense_ratio_pct)) - stress_expenses)
        - narrow(as_share(expense_ratio_pct - variable_expense_ratio_pct)) * (1 - narrow(as_share(vacancy_pct)))
      )),
      as_share(target_cap_pct) * (1 - narrow(as_share(vacancy_pct))) * (1 - narrow(as_share(expense_ratio_pct))),
      1
    ) as value_under_stress
  from incomes
),

limits as (
  select
    *,
    case
      when income is null then null
      when upfront_repairs > 0 and value_at_target < upfront_repairs + offer_step then null
      else income
    end as offer_noi,
    case when offer_noi is not null then down_to(list_price, offer_step) end as limit_list_price,
    case when offer_noi is not null then down_to(greatest(0, value_at_target - upfront_repairs), offer_step) end
      as limit_target_cap,
    case when offer_noi is not null then down_to(value_at_coverage, offer_step) end as limit_debt_coverage,
    case when offer_noi is not null then down_to(greatest(0, value_under_stress - upfront_repairs), offer_step) end
      as limit_under_stress
  from values_of_income
),

offers as (
  select
    *,
    case when offer_noi is not null then least(limit_list_price, limit_target_cap, limit_debt_coverage) end
      as offer_high,
    case when offer_noi is not null then least(offer_high, limit_under_stress) end as offer_low,
    wide(list_price + upfront_repairs) * as_share(target_cap_pct) <= offer_noi as ask_at_or_below_target_value,
    wide(list_price) * (offer_coverage * loan_to_value * annual_constant) <= offer_noi as is_covered
  from limits
)

select
  id,
  case
    when has_no_rent(dscr_reason) then 'not_applicable'
    when income is not null and offer_noi is null then 'repairs_exceed_value'
    when noi_scoring > 0 then 'computed'
    when noi_scoring is not null then 'noi_not_positive'
    when is_out_of_range and claimed_noi > 0 then 'claimed_basis_unverified'
    when is_out_of_range then 'proxy_out_of_range_without_claim'
    when underwrite_reason = 'price_per_unit_below_24x_monthly_2br_rent' then 'price_below_proxy_range'
    else 'insufficient_data'
  end as offer_status,
  offer_low,
  offer_high,
  case
    when offer_noi is null then null
    when offer_low = 0 and offer_high > 0 then 'no_value_under_stress'
    when offer_low < offer_high then 'range'
    when limit_under_stress > offer_high then 'stress_above_high_end'
    else 'within_one_step'
  end as offer_range_basis,
  case
    when offer_noi is null then null
    when ask_at_or_below_target_value and is_covered then 'list_price'
    when value_at_target - upfront_repairs <= value_at_coverage then 'target_cap'
    else 'debt_coverage'
  end as offer_binding,
  ask_at_or_below_target_value,

  -- Inputs of the range
  variable_expense_ratio_pct,
  case
    when offer_noi is null then null
    when noi_scoring is null then 'claimed_noi'
    else 'noi_scoring'
  end as offer_basis,
  offer_noi,
  limit_list_price,
  limit_target_cap,
  limit_debt_coverage,
  limit_under_stress
from offers;

-- audit absent_as_said: an offer is set exactly if its status says so
select * from int_offers
where (offer_high is null) <> (offer_status not in ('computed', 'claimed_basis_unverified'));

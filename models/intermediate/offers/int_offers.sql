-- One row per property: the offer at the declared target cap rate. The high end is the least of three limits: the
-- asking price, the value of the NOI at the target cap less repairs, and the price whose loan the NOI covers as lenders
-- require. The low end is the value under stress less repairs. If HUD's rent does not fit, the broker's claim is the
-- only NOI, and the status says so.
-- Key: id

with

terms as (
  select
    assumption('target_cap_pct')::decimal(9, 4) * 0.01 as target_cap,
    assumption('offer_coverage')::decimal(4, 2) * assumption('loan_to_value')::decimal(4, 2)
      * annual_constant::decimal(22, 20) as coverage_divisor,
    assumption('offer_step')::integer as offer_step,
    1 + assumption('stress_rent')::decimal(4, 2) as rent_left,
    assumption('stress_vacancy')::decimal(4, 2) as stress_vacancy,
    assumption('stress_expenses')::decimal(4, 2) as stress_expenses
  from int_loan_rates
),

bases as (
  select
    underwriting.*,
    condition.upfront_repairs,
    case
      when has_no_rent(dscr_reason) then 'not_applicable'
      when noi_scoring > 0 then 'computed'
      when noi_scoring is not null then 'noi_not_positive'
      when underwrite_reliability = 'proxy_out_of_range' and claimed_noi > 0 then 'claimed_basis_unverified'
      when underwrite_reliability = 'proxy_out_of_range' then 'proxy_out_of_range_without_claim'
      when underwrite_reason = 'price_per_unit_below_24x_monthly_2br_rent' then 'price_below_proxy_range'
      else 'insufficient_data'
    end as status_of_income,
    case status_of_income
      when 'computed' then noi_scoring
      when 'claimed_basis_unverified' then claimed_noi
    end as income,
    cast(vacancy_pct * 0.01 as decimal(6, 4)) as vacancy,
    cast(expense_ratio_pct * 0.01 as decimal(6, 4)) as expense_ratio,
    percentage(variable_expenses, effective_gross_income) as variable_expense_ratio_pct,
    cast(variable_expense_ratio_pct * 0.01 as decimal(6, 4)) as variable_ratio
  from int_underwriting as underwriting
  join int_condition as condition on condition.id = underwriting.id
),

-- Values in whole dollars, before repairs
values_of_income as (
  select
    bases.*,
    quotient_down_to(income, target_cap, 1) as value_at_target,
    quotient_down_to(income, coverage_divisor, 1) as value_at_coverage,
    -- Expenses that do not follow income stay as they are in dollars
    quotient_down_to(
      greatest(0, wide(income) * (
        rent_left * (1 - vacancy - stress_vacancy) * (1 - variable_ratio - stress_expenses)
        - (expense_ratio - variable_ratio) * (1 - vacancy)
      )),
      cast(target_cap as decimal(38, 6)) * (1 - vacancy) * (1 - expense_ratio),
      1
    ) as value_under_stress
  from bases
  cross join terms
),

limits as (
  select
    values_of_income.*,
    case
      when income is not null and upfront_repairs > 0 and value_at_target < upfront_repairs + offer_step
        then 'repairs_exceed_value'
      else status_of_income
    end as offer_status,
    case when offer_status = status_of_income then income end as offer_noi,
    quotient_down_to(list_price, 1, offer_step) as limit_list_price,
    quotient_down_to(greatest(0, value_at_target - upfront_repairs), 1, offer_step) as limit_target_cap,
    quotient_down_to(value_at_coverage, 1, offer_step) as limit_debt_coverage,
    quotient_down_to(greatest(0, value_under_stress - upfront_repairs), 1, offer_step) as limit_under_stress,
    least(limit_list_price, limit_target_cap, limit_debt_coverage) as high,
    least(high, limit_under_stress) as low
  from values_of_income
  cross join terms
),

offers as (
  select
    limits.*,
    wide(list_price + upfront_repairs) * target_cap <= offer_noi as is_at_or_below_target,
    wide(list_price) * coverage_divisor <= offer_noi as is_covered
  from limits
  cross join terms
)

select
  id,
  offer_status,
  case when offer_noi is not null then low end as offer_low,
  case when offer_noi is not null then high end as offer_high,
  case
    when offer_noi is null then null
    when low = 0 and high > 0 then 'no_value_under_stress'
    when low < high then 'range'
    when limit_under_stress > high then 'stress_above_high_end'
    else 'within_one_step'
  end as offer_range_basis,
  case
    when offer_noi is null then null
    when is_at_or_below_target and is_covered then 'list_price'
    when value_at_target - upfront_repairs <= value_at_coverage then 'target_cap'
    else 'debt_coverage'
  end as offer_binding,
  is_at_or_below_target as ask_at_or_below_target_value,

  -- Inputs of the range
  variable_expense_ratio_pct,
  case
    when offer_noi is null then null
    when offer_status = 'computed' then 'noi_scoring'
    else 'claimed_noi'
  end as offer_basis,
  offer_noi,
  case when offer_noi is not null then limit_list_price end as limit_list_price,
  case when offer_noi is not null then limit_target_cap end as limit_target_cap,
  case when offer_noi is not null then limit_debt_coverage end as limit_debt_coverage,
  case when offer_noi is not null then limit_under_stress end as limit_under_stress
from offers;

-- audit absent_as_said: an offer is set exactly if its status says so
select * from int_offers
where (offer_high is null) <> (offer_status not in ('computed', 'claimed_basis_unverified'));

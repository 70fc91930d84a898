-- One row per property: the offer at the declared target cap rate. The high end is the least of three limits: the
-- asking price, the price at which NOI is the target cap of price and repairs, and the price whose loan the NOI covers
-- after reserves as lenders require. The low end is the price at the target cap under stress. Each limit takes the tax
-- and the expenses of its own price. If HUD's rent does not fit, the broker's claim is the only NOI, at any price, and
-- the status says so.
-- Key: id

with

inputs as (
  select
    * replace (annual_constant::decimal(22, 20) as annual_constant),
    noi_scoring is not null as is_underwritten
  from int_underwriting
  join int_properties using (id)
  join int_expenses using (id)
  join int_property_taxes using (id)
  join int_owner_incomes using (id)
  join int_scores using (id)
  cross join int_loan_rates
  cross join terms
),

-- What stress takes from the NOI: all expenses but management stay as they are in dollars. A claim loses its share.
incomes as (
  select
    *,
    underwrite_reason is not distinct from 'price_per_unit_above_144x_monthly_2br_rent' as is_out_of_range,
    case
      when has_no_rent(dscr_reason) then null
      when is_underwritten and noi_underwritten > 0 and coalesce(claimed_noi, 0) + noi_underwritten > 0
        then noi_underwritten
      when not is_underwritten and is_out_of_range and claimed_noi > 0 then claimed_noi
    end as income,
    rounded(wide(gross_potential_rent) * (1 + stress_rent) * (1 - as_share(vacancy_pct) - stress_vacancy))
      as income_stressed,
    rounded(
      wide(effective_gross_income - income_stressed) * (1 - management_share) + wide(income_stressed) * stress_expenses
    ) as loss_of_underwriting,
    case
      when income is null then null
      when is_underwritten then loss_of_underwriting
      when noi_underwritten <= loss_of_underwriting then claimed_noi
      else quotient(wide(claimed_noi) * loss_of_underwriting, noi_underwritten)
    end as noi_lost_under_stress
  from inputs
),

-- In whole dollars. One SELECT a stage: DuckDB repeats an expression wherever its SELECT names it again.
prices as (
  select
    *,
    offer_price(
      income, is_underwritten, claimed_noi, noi_highest, noi_untaxed, tax_per_dollar,
      as_share(target_cap_pct) * upfront_repairs, as_share(target_cap_pct)
    ) as price_at_target,
    offer_price(
      income, is_underwritten, claimed_noi, noi_highest, noi_untaxed, tax_per_dollar,
      reserves, offer_coverage * loan_to_value * annual_constant
    ) as price_at_coverage,
    offer_price(
      income, is_underwritten, claimed_noi, noi_highest, noi_untaxed, tax_per_dollar,
      as_share(target_cap_pct) * upfront_repairs + noi_lost_under_stress, as_share(target_cap_pct)
    ) as price_under_stress
  from incomes
),

limits as (
  select
    *,
    income is not null and (upfront_repairs = 0 or price_at_target >= offer_step) as is_offered,
    case when is_offered then price_at_target end as limit_target_cap,
    case when is_offered then price_at_coverage end as limit_debt_coverage,
    case when is_offered then price_under_stress end as limit_under_stress
  from prices
),

ranges as (
  select
    *,
    case when is_offered then down_to(least(list_price, limit_target_cap, limit_debt_coverage), offer_step) end
      as offer_high,
    case when is_offered then down_to(least(offer_high, limit_under_stress), offer_step) end as offer_low
  from limits
),

-- At the price of the high end
offers as (
  select
    *,
    case
      when offer_high is null then null
      when not is_underwritten then claimed_noi
      when claimed_noi < noi_at_price(noi_highest, noi_untaxed, tax_per_dollar, offer_high)
        then rounded(
          half(claimed_noi + noi_at_price(noi_highest, noi_untaxed, tax_per_dollar, offer_high))
        )
      else noi_at_price(noi_highest, noi_untaxed, tax_per_dollar, offer_high)
    end as offer_noi,
    case
      when offer_high is not null then greatest(tax_floor, rounded(tax_fixed + wide(offer_high) * tax_per_dollar))
    end as offer_tax,
    rounded(months_per_year * payment_of(rounded(wide(offer_high) * loan_to_value), monthly_factor))
      as offer_debt_service
  from ranges
),

yields as (
  select
    *,
    percentage(offer_noi, offer_high + upfront_repairs) as offer_cap_pct,
    quotient(offer_noi - reserves, offer_debt_service) as offer_dscr
  from offers
)

select
  id,
  case
    when has_no_rent(dscr_reason) then 'not_applicable'
    when is_offered then case when not is_underwritten then 'claimed_basis_unverified' else 'computed' end
    when income is not null then 'repairs_exceed_value'
    when is_underwritten then 'noi_not_positive'
    when is_out_of_range then 'proxy_out_of_range_without_claim'
    when underwrite_reason = 'price_per_unit_below_24x_monthly_2br_rent' then 'price_below_proxy_range'
    else 'insufficient_data'
  end as offer_status,
  offer_low,
  offer_high,
  case
    when not is_offered then null
    when offer_low = 0 and offer_high > 0 then 'no_value_under_stress'
    when offer_low < offer_high then 'range'
    when limit_under_stress >= offer_high + offer_step then 'stress_above_high_end'
    else 'within_one_step'
  end as offer_range_basis,
  case
    when not is_offered then null
    when list_price <= least(limit_target_cap, limit_debt_coverage) then 'list_price'
    when limit_target_cap <= limit_debt_coverage then 'target_cap'
    else 'debt_coverage'
  end as offer_binding,
  case when is_offered then list_price <= limit_target_cap end as ask_at_or_below_target_value,

  -- Inputs of the range
  case
    when not is_offered then null
    when not is_underwritten then 'claimed_noi'
    else 'noi_underwritten'
  end as offer_basis,
  noi_lost_under_stress, limit_target_cap, limit_debt_coverage, limit_under_stress,

  -- At the high end
  offer_tax, offer_noi, offer_cap_pct, offer_debt_service, offer_dscr
from yields;

-- audit meets_its_targets: at its own price the high end has the target cap rate and the coverage
select int_offers.* from int_offers cross join terms
where offer_high > 0 and (offer_cap_pct < target_cap_pct or offer_dscr < offer_coverage);

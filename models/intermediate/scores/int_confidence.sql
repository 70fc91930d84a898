-- One row per property: confidence as a sum of named parts, and why parts are low. Deductions are negative parts, never
-- larger than the parts they reduce.

with

terms as (
  select
    assumption('confidence_price_fresh')::decimal(4, 2) as price_fresh,
    assumption('confidence_price_recent')::decimal(4, 2) as price_recent,
    assumption('confidence_price_old')::decimal(4, 2) as price_old,
    assumption('confidence_fresh_days')::integer as fresh_days,
    assumption('confidence_recent_days')::integer as recent_days,
    assumption('confidence_units')::decimal(4, 2) as units_known,
    assumption('confidence_rent_zip')::decimal(4, 2) as rent_zip,
    assumption('confidence_rent_metro')::decimal(4, 2) as rent_metro,
    assumption('confidence_noi_stated')::decimal(4, 2) as noi_stated,
    assumption('confidence_noi_derived')::decimal(4, 2) as noi_derived,
    assumption('confidence_noi_underwritten')::decimal(4, 2) as noi_underwritten,
    assumption('confidence_gap_small')::decimal(4, 2) as gap_small,
    assumption('confidence_gap_medium')::decimal(4, 2) as gap_medium,
    assumption('confidence_gap_none')::decimal(4, 2) as gap_none,
    assumption('confidence_gap_small_points')::decimal(6, 2) as gap_small_points,
    assumption('confidence_gap_medium_points')::decimal(6, 2) as gap_medium_points,
    assumption('confidence_reliable')::decimal(4, 2) as reliable,
    assumption('confidence_reliability_unknown')::decimal(4, 2) as reliability_unknown,
    assumption('confidence_year_built')::decimal(4, 2) as year_known,
    assumption('confidence_condition_risk')::decimal(4, 2) as off_for_condition,
    assumption('confidence_claim_contradicted')::decimal(4, 2) as off_for_claim,
    assumption('confidence_rate_stale_days')::integer as rate_stale_days,
    assumption('confidence_rate_old_days')::integer as rate_old_days,
    assumption('confidence_rate_stale')::decimal(4, 2) as off_for_stale_rate,
    assumption('confidence_rate_old')::decimal(4, 2) as off_for_old_rate
),

inputs as (
  select
    underwriting.id,
    underwriting.list_price,
    underwriting.units,
    underwriting.noi_source,
    underwriting.cap_gap_pct,
    underwriting.underwrite_reliability,
    rents.rent_basis,
    rents.rent_outdated_reason,
    condition.score_share_pct,
    condition.score_limit,
    claims.claim_issue,
    claims.claim_issue in ('noi_not_positive', 'noi_contradicts_cap_rate') as is_contradicted,
    properties.year_built is not null and claims.claim_issue <> 'year_built_in_future' as is_year_known,
    days_since(properties.last_verified, properties.as_of) as price_age,
    rates.loan_rate_age_days
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
  join int_market_rents as rents on rents.id = underwriting.id
  cross join int_loan_rates as rates
  join int_condition as condition on condition.id = underwriting.id
  join int_claim_issues as claims on claims.id = underwriting.id
),

parts as (
  select
    inputs.*,
    case
      when list_price is null then 0
      else by_age(price_age, fresh_days, recent_days, price_fresh, price_recent, price_old)
    end::decimal(4, 2) as price_part,
    case when units is not null then units_known else 0 end::decimal(4, 2) as units_part,
    case
      when underwrite_reliability <> 'ok' or rent_outdated_reason is not null then 0
      when rent_basis in ('zip', 'zip_lowest_of_several') then rent_zip
      else rent_metro
    end::decimal(4, 2) as rent_part,
    case noi_source
      when 'stated' then noi_stated
      when 'derived_from_advertised_cap' then noi_derived
      when 'underwritten' then terms.noi_underwritten
      else 0
    end::decimal(4, 2) as noi_part,
    case
      -- A claim that contradicts itself agrees with nothing else
      when underwrite_reliability <> 'ok' or is_contradicted then 0
      when cap_gap_pct is null then gap_none
      when abs(cap_gap_pct) <= gap_small_points then gap_small
      when abs(cap_gap_pct) <= gap_medium_points then gap_medium
      else 0
    end::decimal(4, 2) as agreement_part,
    case underwrite_reliability
      when 'ok' then reliable
      when 'unknown' then reliability_unknown
      else 0
    end::decimal(4, 2) as reliability_part,
    case when is_year_known then year_known else 0 end::decimal(4, 2) as year_part,
    case
      when score_limit = 'condition_risk' then -rounded(off_for_condition * (100 - score_share_pct) * 0.01)
      else 0
    end::decimal(4, 2) as condition_part,
    case when is_contradicted then -least(off_for_claim, noi_part) else 0 end::decimal(4, 2) as claim_part,
    case
      when score_share_pct is null then null
      when loan_rate_age_days is null then 'loan_rate_without_survey'
      when loan_rate_age_days > rate_old_days then 'loan_rate_old'
      when loan_rate_age_days > rate_stale_days then 'loan_rate_stale'
    end as rate_reason,
    case
      when rate_reason is null then 0
      when rate_reason = 'loan_rate_stale' then -off_for_stale_rate
      else -off_for_old_rate
    end::decimal(4, 2) as rate_part
  from inputs
  cross join terms
)

select
  id,
  rounded(
    price_part + units_part + rent_part + noi_part + agreement_part + reliability_part + year_part
    + condition_part + claim_part + rate_part
  ) as confidence_score,
  json_object(
    'price_verified', as_text(price_part),
    'units_known', as_text(units_part),
    'rent_proxy', as_text(rent_part),
    'noi_source', as_text(noi_part),
    'agreement', as_text(agreement_part),
    'reliability', as_text(reliability_part),
    'year_built', as_text(year_part),
    'condition_risk', as_text(condition_part),
    'claim_contradicted', as_text(claim_part),
    'loan_rate', as_text(rate_part)
  ) as confidence_parts,
  to_json(list_filter([
    case when list_price is not null and price_age > recent_days then 'price_older_than_recent'
      when list_price is not null and price_age > fresh_days then 'price_older_than_fresh' end,
    case when rent_outdated_reason is not null then 'rent_outdated' end,
    case when condition_part < 0 then 'condition_risk' end,
    case when claim_part < 0 then claim_issue end,
    case when claim_issue = 'year_built_in_future' then 'year_built_in_future' end,
    case when rate_part < 0 then rate_reason end
  ], lambda reason: reason is not null)) as confidence_reasons
from parts
cross join terms

-- One row per property: confidence as a sum of named parts, and why parts are low. Deductions are negative parts, never
-- larger than the parts they reduce.
-- Key: id

with

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
    rates.loan_rate_age_days,
    terms.*
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
  join int_market_rents as rents on rents.id = underwriting.id
  cross join int_loan_rates as rates
  join int_condition as condition on condition.id = underwriting.id
  join int_claim_issues as claims on claims.id = underwriting.id
  cross join terms
),

parts as (
  select
    *,
    case
      when list_price is null then 0
      else by_age(
        price_age, confidence_fresh_days, confidence_recent_days,
        confidence_price_fresh, confidence_price_recent, confidence_price_old
      )
    end as part_price_verified,
    case when units is not null then confidence_units else 0 end as part_units_known,
    case
      when underwrite_reliability <> 'ok' or rent_outdated_reason is not null then 0
      when rent_basis in ('zip', 'zip_lowest_of_several') then confidence_rent_zip
      else confidence_rent_metro
    end as part_rent_proxy,
    case noi_source
      when 'stated' then confidence_noi_stated
      when 'derived_from_advertised_cap' then confidence_noi_derived
      when 'underwritten' then confidence_noi_underwritten
      else 0
    end as part_noi_source,
    case
      -- A claim that contradicts itself agrees with nothing else
      when underwrite_reliability <> 'ok' or is_contradicted then 0
      when cap_gap_pct is null then confidence_gap_none
      when abs(cap_gap_pct) <= confidence_gap_small_points then confidence_gap_small
      when abs(cap_gap_pct) <= confidence_gap_medium_points then confidence_gap_medium
      else 0
    end as part_agreement,
    case underwrite_reliability
      when 'ok' then confidence_reliable
      when 'unknown' then confidence_reliability_unknown
      else 0
    end as part_reliability,
    case when is_year_known then confidence_year_built else 0 end as part_year_built,
    case
      when score_limit = 'condition_risk' then -rounded(confidence_condition_risk * (100 - score_share_pct) * 0.01)
      else 0
    end as part_condition_risk,
    case when is_contradicted then -least(confidence_claim_contradicted, part_noi_source) else 0 end
      as part_claim_contradicted,
    case
      when score_share_pct is null then null
      when loan_rate_age_days is null then 'loan_rate_without_survey'
      when loan_rate_age_days > confidence_rate_old_days then 'loan_rate_old'
      when loan_rate_age_days > confidence_rate_stale_days then 'loan_rate_stale'
    end as rate_reason,
    case
      when rate_reason is null then 0
      when rate_reason = 'loan_rate_stale' then -confidence_rate_stale
      else -confidence_rate_old
    end as part_loan_rate
  from inputs
)

select
  id,
  total(
    part_price_verified + part_units_known + part_rent_proxy + part_noi_source + part_agreement + part_reliability
    + part_year_built + part_condition_risk + part_claim_contradicted + part_loan_rate
  ) as confidence_score,
  json_object(
    'price_verified', as_text(part_price_verified),
    'units_known', as_text(part_units_known),
    'rent_proxy', as_text(part_rent_proxy),
    'noi_source', as_text(part_noi_source),
    'agreement', as_text(part_agreement),
    'reliability', as_text(part_reliability),
    'year_built', as_text(part_year_built),
    'condition_risk', as_text(part_condition_risk),
    'claim_contradicted', as_text(part_claim_contradicted),
    'loan_rate', as_text(part_loan_rate)
  ) as confidence_parts,
  to_json(list_filter([
    case when list_price is not null and price_age > confidence_recent_days then 'price_older_than_recent'
      when list_price is not null and price_age > confidence_fresh_days then 'price_older_than_fresh' end,
    case when rent_outdated_reason is not null then 'rent_outdated' end,
    case when part_condition_risk < 0 then 'condition_risk' end,
    case when part_claim_contradicted < 0 then claim_issue end,
    case when claim_issue = 'year_built_in_future' then 'year_built_in_future' end,
    case when part_loan_rate < 0 then rate_reason end
  ], lambda reason: reason is not null)) as confidence_reasons,
  part_price_verified,
  part_units_known,
  part_rent_proxy,
  part_noi_source,
  part_agreement,
  part_reliability,
  part_year_built,
  part_condition_risk,
  part_claim_contradicted,
  part_loan_rate
from parts

-- One row per property: how much of the record is computed or verified and how much is assumed. Each input has a
-- declared weight. It earns all of it if it is known, a declared share if it is known in part, and nothing if a
-- declared value stands in for it. The building's condition is subtracted.
-- Key: id

with

inputs as (
  select
    *,
    underwrite_reason is null as is_fit,
    underwrite_reason in ('price_missing', 'units_missing', 'rent_missing') as is_fit_untested,
    claim_issue in ('noi_not_positive', 'noi_contradicts_cap_rate') as is_contradicted,
    year_built is not null and claim_issue <> 'year_built_in_future' as is_year_known,
    days_since(last_verified, int_properties.as_of) as price_age
  from int_underwriting
  join int_properties using (id)
  join int_unit_mixes using (id)
  join int_market_rents using (id)
  join int_rents_in_place using (id)
  join int_property_taxes using (id)
  join int_vacancies using (id)
  join int_scores using (id)
  cross join int_loan_rates
  cross join terms
),

-- Rents and what is compared with them count only where HUD's rent fits
parts as (
  select
    *,
    case
      when list_price is null then 0
      when price_age <= confidence_fresh_days then confidence_price
      when price_age <= confidence_recent_days then partly(confidence_price, confidence_partly)
      else 0
    end as part_price,
    case when units is null then 0 else confidence_units end as part_units,
    case when is_year_known then confidence_year_built else 0 end as part_year_built,
    case when is_fit and unit_mix_basis = 'listing' then confidence_bedrooms else 0 end as part_bedrooms,
    case
      when not is_fit or rent_outdated_reason is not null then 0
      when rent_basis in ('zip', 'zip_lowest_of_several') then confidence_rent
      else partly(confidence_rent, confidence_partly)
    end as part_rent,
    case
      when not is_fit or in_place_basis = 'declared' then 0
      when in_place_basis = 'metro_of_source' then confidence_in_place
      else partly(confidence_in_place, confidence_partly)
    end as part_in_place,
    case
      when not is_fit or contract_basis = 'declared' then 0
      when contract_basis = 'county' then confidence_utilities
      else partly(confidence_utilities, confidence_partly)
    end as part_utilities,
    case when vacancy_basis = 'declared' then 0 else confidence_vacancy end as part_vacancy,
    case
      when tax_after_basis in ('estimated', 'unknown') then 0
      when tax_after_basis = 'uncapped_to_assessment' then confidence_tax_bill
      when tax_after_basis = 'bill' and tax_rule_basis = 'confirmed' then confidence_tax_bill
      else partly(confidence_tax_bill, confidence_partly)
    end as part_tax_bill,
    case
      when tax_rate_basis = 'declared' then 0
      when tax_rate_basis = 'county' then confidence_tax_rate
      else partly(confidence_tax_rate, confidence_partly)
    end as part_tax_rate,
    case
      when loan_rate_age_days is null or loan_rate_age_days > confidence_rate_old_days then 0
      when loan_rate_age_days > confidence_rate_stale_days then partly(confidence_loan_rate, confidence_partly)
      else confidence_loan_rate
    end as part_loan_rate,
    -- A claim that contradicts itself states nothing and agrees with nothing
    case
      when is_contradicted then 0
      when noi_source = 'stated' then confidence_claim
      when noi_source = 'derived_from_advertised_cap' then partly(confidence_claim, confidence_partly)
      else 0
    end as part_claim,
    case
      when not is_fit or is_contradicted or cap_gap_pct is null then 0
      when abs(cap_gap_pct) <= confidence_gap_small_points then confidence_agreement
      when abs(cap_gap_pct) <= confidence_gap_medium_points then partly(confidence_agreement, confidence_partly)
      else 0
    end as part_agreement,
    total(
      part_price + part_units + part_year_built + part_bedrooms + part_rent + part_in_place + part_utilities
      + part_vacancy + part_tax_bill + part_tax_rate + part_loan_rate + part_claim + part_agreement
    ) as confidence_earned,
    case
      when is_not_let then -least(confidence_condition_record, confidence_earned)
      when score_limit = 'condition_risk' and score_share_pct is not null
        then -least(rounded(confidence_condition_risk * (100 - score_share_pct) * 0.01), confidence_earned)
      else 0
    end as part_condition
  from inputs
)

select
  id,
  total(confidence_earned + part_condition) as confidence_score,
  json_object(
    'price', as_text(part_price),
    'units', as_text(part_units),
    'year_built', as_text(part_year_built),
    'bedrooms', as_text(part_bedrooms),
    'rent', as_text(part_rent),
    'rent_in_place', as_text(part_in_place),
    'utilities', as_text(part_utilities),
    'vacancy', as_text(part_vacancy),
    'tax_bill', as_text(part_tax_bill),
    'tax_rate', as_text(part_tax_rate),
    'loan_rate', as_text(part_loan_rate),
    'claim', as_text(part_claim),
    'agreement', as_text(part_agreement),
    'condition', as_text(part_condition)
  ) as confidence_parts,
  to_json(list_filter([
    case when is_fit_untested then 'rent_fit_not_tested' when not is_fit then 'rent_does_not_fit' end,
    evidence_reason(part_price, confidence_price, 'price_recent', 'price_old_or_missing'),
    evidence_reason(part_units, confidence_units, null, 'units_missing'),
    evidence_reason(
      part_year_built, confidence_year_built, null,
      if(claim_issue = 'year_built_in_future', claim_issue, 'year_built_missing')
    ),
    case when is_fit then evidence_reason(part_bedrooms, confidence_bedrooms, null, 'bedrooms_assumed') end,
    case when is_fit then evidence_reason(part_rent, confidence_rent, 'rent_of_area', 'rent_outdated') end,
    case when is_fit then evidence_reason(
      part_in_place, confidence_in_place, 'rent_in_place_of_reference', 'rent_in_place_assumed'
    ) end,
    case when is_fit then evidence_reason(
      part_utilities, confidence_utilities, 'utilities_of_area', 'utilities_assumed'
    ) end,
    evidence_reason(part_vacancy, confidence_vacancy, null, 'vacancy_assumed'),
    evidence_reason(
      part_tax_bill, confidence_tax_bill,
      if(tax_after_basis = 'exemption_ends', 'tax_bill_exempt', 'tax_after_sale_assumed'),
      if(tax_after_basis = 'unknown', 'tax_after_sale_unknown', 'tax_bill_assumed')
    ),
    evidence_reason(part_tax_rate, confidence_tax_rate, 'tax_rate_of_area', 'tax_rate_assumed'),
    evidence_reason(part_loan_rate, confidence_loan_rate, 'loan_rate_stale', 'loan_rate_old_or_assumed'),
    evidence_reason(
      part_claim, confidence_claim, 'claim_derived',
      case
        when is_contradicted then claim_issue
        when cap_rate is not null then 'claim_without_price'
        else 'claim_missing'
      end
    ),
    case when is_fit and not is_contradicted then evidence_reason(
      part_agreement, confidence_agreement, 'claim_differs', 'claim_not_confirmed'
    ) end,
    case when is_not_let then 'condition_record' when part_condition < 0 then 'condition_risk' end
  ], lambda reason: reason is not null)) as confidence_reasons,
  part_price, part_units, part_year_built, part_bedrooms, part_rent, part_in_place, part_utilities, part_vacancy,
  part_tax_bill, part_tax_rate, part_loan_rate, part_claim, part_agreement, part_condition
from parts

-- One row per property that is or was listed for sale: the property, the claim, the underwriting, scores with their
-- parts, the three paths, the offer range, distress, and where each group of fields comes from.

with

inputs as (
  select
    properties.*,
    rents.* exclude (id),
    underwriting.* exclude (id, list_price, units, market_rent_2br, cap_rate, noi),
    proxies.* exclude (id),
    income.* exclude (id),
    owners.* exclude (id),
    coverage.* exclude (id),
    loan_rates.* exclude (as_of),
    underwriting.cap_rate as cap_rate_shown,
    underwriting.noi as noi_shown,
    distress.* exclude (id),
    rolls.* exclude (id, county_fips, parcel_key),
    places.* exclude (id),
    claims.* exclude (id),
    scores.* exclude (id, condition_record),
    confidence.* exclude (id),
    paths.* exclude (id),
    offers.* exclude (id),
    sentences.* exclude (id),
    corrections.corrected,
    terms.assumption_set_id
  from int_properties as properties
  left join corrected_rows as corrections
    on corrections.source = properties.source
    and corrections.page_sha256 = properties.page_sha256
    and corrections.page_row = properties.page_row
  join int_market_rents as rents on rents.id = properties.id
  join int_underwriting as underwriting on underwriting.id = properties.id
  join int_hud_proxies as proxies on proxies.id = properties.id
  join int_deal_income as income on income.id = properties.id
  join int_owner_incomes as owners on owners.id = properties.id
  join int_debt_coverage as coverage on coverage.id = properties.id
  cross join int_loan_rates as loan_rates
  join int_distress as distress on distress.id = properties.id
  join int_property_rolls as rolls on rolls.id = properties.id
  join int_deal_places as places on places.id = properties.id
  join int_claim_issues as claims on claims.id = properties.id
  join int_scores as scores on scores.id = properties.id
  join int_confidence as confidence on confidence.id = properties.id
  join int_paths as paths on paths.id = properties.id
  join int_offers as offers on offers.id = properties.id
  join int_sentences as sentences on sentences.id = properties.id
  cross join terms
)

select
  -- Property
  id, address, city, state, zip,

  -- Listing
  source, listing_url, list_price, units,
  cap_rate_shown as cap_rate,
  noi_shown as noi,
  noi_source,

  -- Underwriting
  market_rent_2br, noi_underwritten, cap_rate_underwritten, dscr, dscr_status,
  deal_score, confidence_score,
  why_this_is_interesting,
  cap_gap_pct, underwrite_reliability, rental_status, motivation_score,
  last_verified, price_reduction_pct, days_on_feed,

  -- Identity and state of the listing
  address_key, street_key, house_low, house_high, unit_key, address_status,
  listing_id, listing_status, delisted_on, relisted, also_listed, property_type,
  case when units_0br is not null then json_object(
    '0br', units_0br, '1br', units_1br, '2br', units_2br, '3br', units_3br, '4br', units_4br
  ) end as unit_mix_stated,
  annual_taxes, year_built, listed_on, unread_fields, corrected,
  first_seen, last_seen, first_price, price_per_unit,
  source_url,
  last_verified as observed_at,
  page_sha256, page_row,

  -- Claim and rent
  cap_rate_source, cap_rate_derived, cap_gap_basis, claim_consistency, claim_issue,
  underwriting_agreement, underwriting_note,
  rent_basis, rent_area_code, rent_area_name, rent_fiscal_year, rent_source_url, rent_observed_at,
  rent_outdated_reason,

  -- Steps of underwriting
  gross_potential_rent, effective_gross_income, expense_ratio_pct,
  case when cap_rate_underwritten is null then 'no_underwriting' else 'available' end as report_status,
  underwrite_reason, gross_rent_multiplier,

  -- Rents in place, expenses and taxes
  market_rent_mix, rent_in_place, contract_rent, rent_steps, vacancy_pct, vacancy_basis, vacancy_survey,
  operating_expenses, expense_lines, expense_typical_pct,
  reserves,
  property_tax, tax_after_reset, noi_at_current_tax, noi_after_reset, noi_hud_2br, cap_rate_hud_2br,

  -- Debt
  loan_rate_pct, loan_rate_basis, loan_rate_series, loan_rate_on, loan_rate_age_days, loan_rate_source_url,
  loan_rate_is_made_up,
  loan_amount, monthly_payment, annual_debt_service, dscr_underwritten, dscr_reason, debt_yield_pct,
  break_even_occupancy_pct, rent_over_pitia,
  net_cash_flow, loan_sized, loan_binding, debt_service_sized, cash_flow_after_debt, cash_needed, cash_on_cash_pct,

  -- What owners of such buildings earned
  noi_low, noi_middle, noi_high, noi_range_n, noi_range_units, noi_range_reason, noi_range_note,

  -- Scores and their parts
  cap_rate_middle, noi_scoring, cap_scoring_pct, coverage_scoring,
  upfront_repairs_per_unit, yield_on_cost_pct, price_to_rent, score_share_pct, score_limit, condition_risk,
  condition_record, condition_record_on, condition_record_id, condition_record_url,
  deal_score_yield, deal_score_coverage, deal_score_motivation, deal_score_distress, deal_score_condition,
  motivation_price_cut, motivation_days, confidence_parts, confidence_reasons,

  -- Paths
  rental_rationale, wholesale_status, wholesale_rationale, creative_finance_status, creative_finance_rationale,

  -- Offer range
  offer_status, offer_low, offer_high, offer_range_basis, offer_binding, ask_at_or_below_target_value,

  -- The county's roll
  roll_status, roll_parcel_id, last_sale_date, last_sale_price, last_sale_basis, assessed_market_value,
  roll_source, roll_source_url,

  -- Distress
  distress_score, distress_status, distress_kinds, distress_signals_count,
  distress_coverage, distress_matches, distress_candidates,

  -- Where each group of fields comes from, and what names its row on the page
  json_object(
    'listing', origin('published', source, source_url, last_verified, [listing_id]),
    'claim', origin(
      case when claimed_noi is null then 'absent' when noi_source = 'stated' then 'published' else 'derived' end,
      source, source_url, last_verified, [listing_id]
    ),
    'rent', origin(
      case when market_rent_2br is null then 'absent' else 'published' end,
      rent_source, rent_source_url, rent_observed_at,
      case when rent_basis like 'zip%' then [rent_area_code, zip] else [rent_area_code] end
    ),
    'rent_in_place', rent_in_place_origin,
    'utilities', utilities_origin,
    'vacancy', vacancy_origin,
    'tax_rate', tax_rate_origin,
    'tax_bill', tax_bill_origin,
    'underwriting', origin(
      case when noi_underwritten is null then 'absent' else 'derived' end, assumption_set_id, null, null, null
    ),
    'debt', origin(
      case when loan_amount is null then 'absent' when loan_rate_basis = 'survey' then 'derived' else 'assumed' end,
      coalesce(loan_rate_source, assumption_set_id), loan_rate_source_url, loan_rate_observed_at,
      [loan_rate_series, as_text(loan_rate_on)]
    ),
    'roll', origin(
      case when roll_parcel_id is null then 'absent' else 'published' end,
      roll_source, roll_source_url, roll_observed_at, case when roll_parcel_id is not null then [roll_parcel_id] end
    ),
    'distress', origin(case when distress_status = 'matched' then 'matched' else 'absent' end, null, null, null, null),
    'history', origin('derived', 'listing_history', null, last_seen, null)
  ) as provenance,
  assumption_set_id,

  -- Place
  county, county_fips, county_basis, latitude, longitude, geo_basis, metro
from inputs

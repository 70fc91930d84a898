-- One row per property that is or was listed for sale: the property, the claim, the underwriting, scores with their
-- parts, the three paths, the offer range, distress, and where each group of fields comes from.

select
  * exclude (noi),
  int_underwriting.noi,
  last_verified as observed_at,
  case when units_0br is not null then json_object(
    '0br', units_0br, '1br', units_1br, '2br', units_2br, '3br', units_3br, '4br', units_4br
  ) end as unit_mix_stated,
  case when cap_rate_underwritten is null then 'no_underwriting' else 'available' end as report_status,

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
  ) as provenance
from int_properties
left join corrected_rows using (source, page_sha256, page_row)
join int_market_rents using (id)
join int_underwriting using (id)
join int_expenses using (id)
join int_hud_proxies using (id)
join int_deal_income using (id)
join int_owner_incomes using (id)
join int_debt_coverage using (id)
cross join int_loan_rates
join int_distress using (id)
-- Before the roll: the county is that of the place
join int_deal_places using (id)
join int_property_rolls using (id)
join int_scores using (id)
join int_confidence using (id)
join int_paths using (id)
join int_offers using (id)
join int_sentences using (id)
cross join (select assumption_set_id from terms)
where in_slice(id)

-- never score_is_sum_of_parts: deal_score is the sum of its five parts
deal_score <> deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress
  + deal_score_condition;
-- never motivation_is_sum_of_parts: motivation_score is the sum of its two parts
motivation_score <> motivation_price_cut + motivation_days;
-- never confidence_is_sum_of_parts: confidence_score is the sum of confidence_parts
confidence_score <> (
  select sum(cast(json_extract_string(value, '$') as decimal(14, 2))) from json_each(confidence_parts));
-- never deal_score_in_range: deal_score is from 0 to 100
deal_score not between 0 and 100;
-- never parts_in_range: motivation and distress are from 0 to 100
motivation_score not between 0 and 100 or distress_score not between 0 and 100;
-- never confidence_in_range: confidence is from 0 to 1
confidence_score not between 0 and 1;
-- never gap_identity: cap_gap_pct is the claimed cap rate less cap_rate_underwritten
cap_gap_pct is distinct from coalesce(cap_rate, cap_rate_derived) - cap_rate_underwritten;
-- never dscr_identity: dscr is noi over annual_debt_service
dscr <> quotient(noi, annual_debt_service);
-- never cap_identity: cap_rate_underwritten is noi_underwritten over list_price
cap_rate_underwritten is distinct from percentage(noi_underwritten, list_price);
-- never figures_follow: prices by unit and rent, cuts, yields and the DSCR follow from the other figures of the row
price_per_unit is distinct from quotient(list_price, units)
  or price_reduction_pct <> greatest(0, percentage(first_price - list_price, first_price))
  or dscr_underwritten <> quotient(noi_underwritten, annual_debt_service)
  or debt_yield_pct <> percentage(noi, loan_amount)
  or gross_rent_multiplier is distinct from quotient(list_price, gross_potential_rent)
  or cap_scoring_pct is distinct from percentage(noi_scoring, list_price)
  or noi_middle <> rounded(wide(list_price) * as_share(cap_rate_middle))
  or yield_on_cost_pct is distinct from percentage(noi_scoring, list_price + upfront_repairs_per_unit * units);
-- never figures_in_range: prices, rents and counts are positive, and no row was verified after the clock
list_price <= 0
  or first_price <= 0
  or units <= 0
  or market_rent_2br <= 0
  or days_on_feed < 0
  or price_reduction_pct not between 0 and 100
  or expense_ratio_pct < 0
  or loan_amount > list_price
  or cast(last_verified as date) > (select as_of + 1 from run);
-- never debt_service_is_twelve_payments: annual_debt_service is twelve payments
annual_debt_service <> 12 * monthly_payment;
-- never offer_in_order: offers rise from low to high to the asking price
offer_low > offer_high or offer_high > list_price;
-- never loan_rate_as_said: every deal has the loan rate of the day
loan_rate_pct <> (select loan_rate_pct from int_loan_rates);
-- never loan_sized_as_said: loan_sized is loan_amount exactly if loan_to_value binds, else less, and 0 without a loan
loan_sized > loan_amount
  or (loan_binding = 'loan_to_value') <> (loan_sized = loan_amount)
  or (loan_binding in ('none', 'minimum_loan')) <> (loan_sized = 0)
  or (loan_binding = 'none') <> (net_cash_flow <= 0);
-- never loan_sized_is_covered: net_cash_flow covers the sized loan as lenders require
loan_sized > 0
  and quotient(net_cash_flow, debt_service_sized) < (select loan_coverage from terms);
-- never cash_adds_up: cash flows, the cash needed and its return follow from the other figures of the row
net_cash_flow <> noi_underwritten - reserves
  or cash_flow_after_debt <> net_cash_flow - debt_service_sized
  or cash_needed <> list_price - loan_sized
    + rounded(wide(list_price) * (select closing_cost_share from terms))
  or cash_on_cash_pct <> percentage(cash_flow_after_debt, cash_needed);
-- never rent_absent_as_said: the rent is null exactly if its basis is unknown
(market_rent_2br is null) <> (rent_basis = 'unknown');
-- never steps_absent_as_said: a step of rent or tax is null exactly if its input or its basis says so
((rent_steps -> 'mix' ->> 'sum') is null) <> (units is null)
  or ((rent_steps -> 'market' -> 'rents' ->> 'br_2') is null) <> (market_rent_2br is null)
  or ((rent_steps -> 'in_place' ->> 'area') is null) <> ((rent_steps -> 'in_place' ->> 'basis') = 'declared')
  or ((rent_steps -> 'contract' ->> 'area') is null) <> ((rent_steps -> 'contract' ->> 'basis') = 'declared')
  or ((property_tax ->> 'at_price') is null) <> (list_price is null)
  or ((property_tax ->> 'current') is null) <> ((property_tax ->> 'current_basis') = 'unknown')
  or ((property_tax ->> 'current_basis') = 'unknown') <> (list_price is null)
  or ((property_tax ->> 'bill') is null) > ((property_tax ->> 'current_basis') in ('estimated', 'unknown'))
  or ((property_tax ->> 'if_appealed') is null)
    <> ((property_tax ->> 'appeal_basis') <> 'assessment_above_price')
  or ((property_tax ->> 'statute') is null) <> ((property_tax ->> 'rule_basis') = 'declared');
-- never cap_rate_source_as_said: cap_rate and cap_rate_derived are null exactly if cap_rate_source names another
(cap_rate is null) <> (cap_rate_source <> 'advertised')
  or (cap_rate_derived is null) <> (cap_rate_source <> 'derived_from_stated_noi')
  or cap_rate_derived <> percentage(noi, list_price);
-- never gap_absent_as_said: cap_gap_basis names the claim, or what is missing
cap_gap_basis <> case
  when cap_rate_source = 'none' and cap_rate_underwritten is null then 'no_claim_and_no_underwriting'
  when cap_rate_source = 'none' then 'no_claim'
  when cap_rate_underwritten is null then 'no_underwriting'
  when cap_rate_source = 'advertised' then 'advertised_cap_rate'
  else 'derived_cap_rate' end;
-- never agreement_as_said: underwriting_agreement follows from the gap, the reliability and the rental path
(underwriting_agreement = 'no_claim') <> (cap_rate_source = 'none')
  or (underwriting_agreement in ('agrees', 'rated_pass', 'claim_too_high', 'claim_too_low'))
    <> (
      underwrite_reliability = 'ok'
      and cap_gap_pct is not null
      and claim_issue not in ('noi_not_positive', 'noi_contradicts_cap_rate'))
  or (underwriting_agreement = 'agrees' and rental_status = 'Pass')
  or (underwriting_agreement = 'rated_pass' and rental_status <> 'Pass')
  or (underwriting_agreement = 'claim_too_high' and cap_gap_pct <= 0)
  or (underwriting_agreement = 'claim_too_low' and cap_gap_pct >= 0)
  or not contains(underwriting_note, 'rental path is ' || rental_status);
-- never line_as_said: a line leads with a grave record or a material gap, and says whether income covers the debt
length(why_this_is_interesting) > 80
  or case
    when condition_record = 'condemned' then not starts_with(why_this_is_interesting, 'Condemned')
    when condition_record = 'order_to_vacate' then not starts_with(why_this_is_interesting, 'Under an order to')
    when condition_record = 'vacant_building' then not starts_with(why_this_is_interesting, 'Registered as vacant')
    else underwriting_agreement in ('claim_too_high', 'claim_too_low')
      and not regexp_matches(why_this_is_interesting, '^(Claimed cap|Cap by stated NOI) ')
  end
  or contains(lower(why_this_is_interesting), 'covers a new loan')
    and not coalesce(dscr_underwritten >= 1 and dscr >= 1, false)
  or contains(why_this_is_interesting, 'oes not cover its debt')
    <> coalesce(noi_scoring is not null and dscr_underwritten < 1, false);
-- never confidence_as_said: what a reason of confidence_reasons calls missing, assumed or not tested is
exists (
  from json_each(confidence_reasons) as given
  where (case given.value ->> '$'
    when 'rent_fit_not_tested' then list_price is null or units is null or market_rent_2br is null
    when 'rent_does_not_fit' then starts_with(underwrite_reason, 'price_per_unit_')
    when 'units_missing' then units is null
    when 'year_built_missing' then year_built is null
    when 'tax_after_sale_assumed' then (property_tax ->> 'bill') is not null
      and ((property_tax ->> 'after_basis') = 'reset' or (property_tax ->> 'rule_basis') <> 'confirmed')
    when 'tax_after_sale_unknown' then list_price is null
    when 'tax_bill_assumed' then list_price is not null and (property_tax ->> 'bill') is null
    when 'claim_without_price' then cap_rate is not null and list_price is null
    when 'claim_missing' then cap_rate_source = 'none' and noi_source is distinct from 'stated'
    else true end) is not true);
-- never offer_range_as_said: the ends of an offer differ unless offer_range_basis says why
(offer_low < offer_high) <> (offer_range_basis in ('range', 'no_value_under_stress'));
-- never score_limit_as_said: score_limit names why only a share of the points counts
(score_share_pct is null) <> (score_limit = 'not_scored')
  or (score_share_pct < 100) <> (score_limit in ('condition_risk', 'near_upper_proxy_limit'))
  or (score_limit = 'condition_risk' and condition_risk in ('none', 'code_case', 'not_evaluated'))
  or (condition_risk = 'not_evaluated') <> (noi_scoring is null and condition_record = 'none');
-- never condition_record_as_said: a condition record is an exact match; a grave one is the risk and makes rental Pass
(condition_record <> 'none') <> (
    condition_record_id is not null
    and list_contains(distress_matches ->> '$[*].id', condition_record_id))
  or (condition_record in ('condemned', 'order_to_vacate', 'vacant_building'))
    <> (condition_risk in ('condemned', 'order_to_vacate', 'vacant_building'))
  or condition_risk in ('condemned', 'order_to_vacate', 'vacant_building')
    and (condition_risk <> condition_record or rental_status <> 'Pass' or wholesale_status = 'Hot'
      or creative_finance_status <> 'Pass')
  or deal_score_condition > 0
  or deal_score_condition < 0 and condition_record = 'none';
-- never distress_as_said: a deal is matched exactly if a record matches, and only tax debts and sales score
(distress_status = 'matched') <> (json_array_length(distress_matches) > 0)
  or (distress_status = 'matched') <> (distress_signals_count > 0)
  or (distress_score > 0) <> (
    list_contains(cast(distress_kinds as varchar[]), 'tax_delinquent')
    or len(list_filter(cast(distress_kinds as varchar[]), lambda kind: is_kind_of_sale(kind))) > 0);
-- never uncovered_debt_earns_nothing: a coverage below 1.00 earns no points
deal_score_coverage > 0 and coverage_scoring < 1;
-- never unreliable_scores_nothing: if the proxy does not fit, there are no yield or coverage points and all paths Pass
underwrite_reliability <> 'ok' and (
  deal_score_yield + deal_score_coverage > 0
  or rental_status <> 'Pass'
  or wholesale_status <> 'Pass'
  or creative_finance_status <> 'Pass');
-- never claims_never_lift: the NOI of scores is never above the underwriting, nor above what owners typically earn
noi_scoring > noi_underwritten or noi_scoring > rounded(wide(list_price) * as_share(cap_rate_middle));
-- never rationales_agree: each rationale has the status that it explains
rental_status <> (rental_rationale ->> 'status')
  or wholesale_status <> (wholesale_rationale ->> 'status')
  or creative_finance_status <> (creative_finance_rationale ->> 'status');
-- audit matches_exist: a county record that matches, or is a candidate, is published
select id, record from (
  select deals.id, (found.value ->> 'id') as record from deals, json_each(distress_matches) as found
  union all select deals.id, (found.value ->> 'id') from deals, json_each(distress_candidates) as found)
where record not in (select id from signals union all select id from auctions);
-- audit listing_exists: the main listing is the latest version in listing_history
select id, source, listing_id from deals where not exists (
from listing_history as history
where history.is_latest
  and history.deal_id = deals.id
  and history.source = deals.source
  and history.listing_id = deals.listing_id);

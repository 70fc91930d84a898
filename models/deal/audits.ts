/** Audits of deals. */
import { never, type Audit } from '../contract.ts';
import { comesAndGoes } from '../drift.ts';

/** Sums, identities and ranges, from the published figures. */
const FIGURES: readonly Audit[] = [
  never(
    'deals',
    'score_is_sum_of_parts',
    'deal_score is the sum of its five parts',
    `deal_score <> deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress
      + deal_score_condition`,
  ),
  never(
    'deals',
    'motivation_is_sum_of_parts',
    'motivation_score is the sum of its two parts',
    'motivation_score <> motivation_price_cut + motivation_days',
  ),
  never(
    'deals',
    'confidence_is_sum_of_parts',
    'confidence_score is the sum of confidence_parts',
    `confidence_score <> (
      SELECT sum(CAST(json_extract_string(value, '$') AS DECIMAL(14, 2))) FROM json_each(confidence_parts))`,
  ),
  never(
    'deals',
    'scores_in_range',
    'scores are from 0 to 100, confidence from 0 to 1',
    `deal_score NOT BETWEEN 0 AND 100
      OR motivation_score NOT BETWEEN 0 AND 100
      OR distress_score NOT BETWEEN 0 AND 100
      OR confidence_score NOT BETWEEN 0 AND 1`,
  ),
  never(
    'deals',
    'gap_identity',
    'cap_gap_pct is the claimed cap rate less cap_rate_underwritten',
    'cap_gap_pct IS DISTINCT FROM coalesce(cap_rate, cap_rate_derived) - cap_rate_underwritten',
  ),
  never('deals', 'dscr_identity', 'dscr is noi over annual_debt_service', 'dscr <> quotient(noi, annual_debt_service)'),
  never(
    'deals',
    'cap_identity',
    'cap_rate_underwritten is noi_underwritten over list_price',
    'cap_rate_underwritten IS DISTINCT FROM percentage(noi_underwritten, list_price)',
  ),
  never(
    'deals',
    'figures_follow',
    'price per unit, price reduction, DSCR of the underwriting, debt yield, rent multiplier, scoring cap rate and ' +
      'yield on cost ' +
      'follow from the other figures of the row',
    `price_per_unit IS DISTINCT FROM quotient(list_price, units)
      OR price_reduction_pct <> greatest(0, percentage(first_price - list_price, first_price))
      OR dscr_underwritten <> quotient(noi_underwritten, annual_debt_service)
      OR debt_yield_pct <> percentage(noi, loan_amount)
      OR gross_rent_multiplier IS DISTINCT FROM quotient(list_price, gross_potential_rent)
      OR cap_scoring_pct IS DISTINCT FROM percentage(noi_scoring, list_price)
      OR noi_middle <> rounded(wide(list_price) * as_share(cap_rate_middle))
      OR yield_on_cost_pct IS DISTINCT FROM percentage(noi_scoring, list_price + upfront_repairs_per_unit * units)`,
  ),
  never(
    'deals',
    'figures_in_range',
    'prices, rents and counts are positive, shares are from 0 to 100, and no row was verified after the data clock ' +
      '(one day is allowed for a run that passes midnight)',
    `list_price <= 0
      OR first_price <= 0
      OR units <= 0
      OR market_rent_2br <= 0
      OR days_on_feed < 0
      OR price_reduction_pct NOT BETWEEN 0 AND 100
      OR expense_ratio_pct < 0
      OR loan_amount > list_price
      OR CAST(last_verified AS DATE) > (SELECT as_of + 1 FROM run)`,
  ),
  never(
    'deals',
    'debt_service_is_twelve_payments',
    'annual_debt_service is twelve payments',
    'annual_debt_service <> 12 * monthly_payment',
  ),
  never(
    'deals',
    'offer_in_order',
    'offers rise from low to high to the asking price',
    'offer_low > offer_high OR offer_high > list_price',
  ),
];

/** Each status says what the other fields show. That a null has its reason is audited for every field. */
const STATUSES: readonly Audit[] = [
  never(
    'deals',
    'rent_absent_as_said',
    'the rent is null exactly if its basis is unknown',
    "(market_rent_2br IS NULL) <> (rent_basis = 'unknown')",
  ),
  never(
    'deals',
    'steps_absent_as_said',
    'a step of rent or tax is null exactly if its input or its basis says so',
    `((rent_steps -> 'mix' ->> 'sum') IS NULL) <> (units IS NULL)
      OR ((rent_steps -> 'market' -> 'rents' ->> 'br_2') IS NULL) <> (market_rent_2br IS NULL)
      OR ((rent_steps -> 'in_place' ->> 'area') IS NULL) <> ((rent_steps -> 'in_place' ->> 'basis') = 'declared')
      OR ((rent_steps -> 'contract' ->> 'area') IS NULL) <> ((rent_steps -> 'contract' ->> 'basis') = 'declared')
      OR ((property_tax ->> 'at_price') IS NULL) <> (list_price IS NULL)
      OR ((property_tax ->> 'current') IS NULL) <> ((property_tax ->> 'current_basis') = 'unknown')
      OR ((property_tax ->> 'current_basis') = 'unknown') <> (list_price IS NULL)
      OR ((property_tax ->> 'bill') IS NULL) > ((property_tax ->> 'current_basis') IN ('estimated', 'unknown'))
      OR ((property_tax ->> 'if_appealed') IS NULL)
        <> ((property_tax ->> 'appeal_basis') <> 'assessment_above_price')
      OR ((property_tax ->> 'statute') IS NULL) <> ((property_tax ->> 'rule_basis') = 'declared')`,
  ),
  never(
    'deals',
    'cap_rate_source_as_said',
    'cap_rate is advertised, and cap_rate_derived follows from a stated NOI, each null exactly if its source is not',
    `(cap_rate IS NULL) <> (cap_rate_source <> 'advertised')
      OR (cap_rate_derived IS NULL) <> (cap_rate_source <> 'derived_from_stated_noi')
      OR cap_rate_derived <> percentage(noi, list_price)`,
  ),
  never(
    'deals',
    'gap_absent_as_said',
    'cap_gap_pct is null exactly if cap_gap_basis names what is missing, and else names the claim',
    `cap_gap_basis <> CASE
      WHEN cap_rate_source = 'none' AND cap_rate_underwritten IS NULL THEN 'no_claim_and_no_underwriting'
      WHEN cap_rate_source = 'none' THEN 'no_claim'
      WHEN cap_rate_underwritten IS NULL THEN 'no_underwriting'
      WHEN cap_rate_source = 'advertised' THEN 'advertised_cap_rate'
      ELSE 'derived_cap_rate' END`,
  ),
  never(
    'deals',
    'agreement_as_said',
    'underwriting_agreement follows from the gap, the reliability and the rental path',
    `(underwriting_agreement = 'no_claim') <> (cap_rate_source = 'none')
      OR (underwriting_agreement IN ('agrees', 'rated_pass', 'claim_too_high', 'claim_too_low'))
        <> (
          underwrite_reliability = 'ok'
          AND cap_gap_pct IS NOT NULL
          AND claim_issue NOT IN ('noi_not_positive', 'noi_contradicts_cap_rate'))
      OR (underwriting_agreement = 'agrees' AND rental_status = 'Pass')
      OR (underwriting_agreement = 'rated_pass' AND rental_status <> 'Pass')
      OR (underwriting_agreement = 'claim_too_high' AND cap_gap_pct <= 0)
      OR (underwriting_agreement = 'claim_too_low' AND cap_gap_pct >= 0)
      OR NOT contains(underwriting_note, 'rental path is ' || rental_status)`,
  ),
  never(
    'deals',
    'line_as_said',
    'a line has at most 80 characters, leads with a condition record or a material gap, and says whether the income ' +
      'covers the debt',
    `length(why_this_is_interesting) > 80
      OR CASE
        WHEN condition_record = 'condemned' THEN NOT starts_with(why_this_is_interesting, 'Condemned')
        WHEN condition_record = 'order_to_vacate' THEN NOT starts_with(why_this_is_interesting, 'Under an order to')
        WHEN condition_record = 'vacant_building' THEN NOT starts_with(why_this_is_interesting, 'Registered as vacant')
        ELSE underwriting_agreement IN ('claim_too_high', 'claim_too_low')
          AND NOT regexp_matches(why_this_is_interesting, '^(Claimed cap|Cap by stated NOI) ')
      END
      OR contains(lower(why_this_is_interesting), 'covers a new loan')
        AND NOT coalesce(dscr_underwritten >= 1 AND dscr >= 1, false)
      OR contains(why_this_is_interesting, 'oes not cover its debt')
        <> coalesce(noi_scoring IS NOT NULL AND dscr_underwritten < 1, false)`,
  ),
  never(
    'deals',
    'confidence_as_said',
    'a reason of confidence_reasons is true of the row: what it calls missing, assumed or not tested is',
    `EXISTS (
      FROM json_each(confidence_reasons) AS given
      WHERE (CASE given.value ->> '$'
        WHEN 'rent_fit_not_tested' THEN list_price IS NULL OR units IS NULL OR market_rent_2br IS NULL
        WHEN 'rent_does_not_fit' THEN starts_with(underwrite_reason, 'price_per_unit_')
        WHEN 'units_missing' THEN units IS NULL
        WHEN 'year_built_missing' THEN year_built IS NULL
        WHEN 'tax_after_sale_assumed' THEN (property_tax ->> 'bill') IS NOT NULL
          AND ((property_tax ->> 'after_basis') = 'reset' OR (property_tax ->> 'rule_basis') <> 'confirmed')
        WHEN 'tax_after_sale_unknown' THEN list_price IS NULL
        WHEN 'tax_bill_assumed' THEN list_price IS NOT NULL AND (property_tax ->> 'bill') IS NULL
        WHEN 'claim_without_price' THEN cap_rate IS NOT NULL AND list_price IS NULL
        WHEN 'claim_missing' THEN cap_rate_source = 'none' AND noi_source IS DISTINCT FROM 'stated'
        ELSE true END) IS NOT TRUE)`,
  ),
  never(
    'deals',
    'offer_range_as_said',
    'the ends of an offer differ unless offer_range_basis says why',
    "(offer_low < offer_high) <> (offer_range_basis IN ('range', 'no_value_under_stress'))",
  ),
  never(
    'deals',
    'score_limit_as_said',
    'score_limit names a limit exactly if only a share of the points counts, and condition_risk says which',
    `(score_share_pct IS NULL) <> (score_limit = 'not_scored')
      OR (score_share_pct < 100) <> (score_limit IN ('condition_risk', 'near_upper_proxy_limit'))
      OR (score_limit = 'condition_risk' AND condition_risk IN ('none', 'code_case', 'not_evaluated'))
      OR (condition_risk = 'not_evaluated') <> (noi_scoring IS NULL AND condition_record = 'none')`,
  ),
  never(
    'deals',
    'condition_record_as_said',
    'a condition record is one of the exact matches; one that nobody may live there is the condition risk and makes ' +
      'the rental path Pass; only a record takes points',
    `(condition_record <> 'none') <> (
        condition_record_id IS NOT NULL
        AND list_contains(distress_matches ->> '$[*].id', condition_record_id))
      OR (condition_record IN ('condemned', 'order_to_vacate', 'vacant_building'))
        <> (condition_risk IN ('condemned', 'order_to_vacate', 'vacant_building'))
      OR condition_risk IN ('condemned', 'order_to_vacate', 'vacant_building')
        AND (condition_risk <> condition_record OR rental_status <> 'Pass' OR wholesale_status = 'Hot'
          OR creative_finance_status <> 'Pass')
      OR deal_score_condition > 0
      OR deal_score_condition < 0 AND condition_record = 'none'`,
  ),
  never(
    'deals',
    'distress_as_said',
    'the status is matched exactly if a public record matches, and only a tax delinquency or a sale scores',
    `(distress_status = 'matched') <> (json_array_length(distress_matches) > 0)
      OR (distress_status = 'matched') <> (distress_signals_count > 0)
      OR (distress_score > 0) <> (
        list_contains(CAST(distress_kinds AS VARCHAR[]), 'tax_delinquent')
        OR len(list_filter(CAST(distress_kinds AS VARCHAR[]), lambda kind: is_kind_of_sale(kind))) > 0)`,
  ),
];

/** No unverified claim makes a deal look better. */
const CAUTION: readonly Audit[] = [
  never(
    'deals',
    'uncovered_debt_earns_nothing',
    'a coverage below 1.00 earns no points',
    'deal_score_coverage > 0 AND coverage_scoring < 1',
  ),
  never(
    'deals',
    'unreliable_scores_nothing',
    'if the proxy does not fit there are no yield or coverage points and every path is Pass',
    `underwrite_reliability <> 'ok' AND (
      deal_score_yield + deal_score_coverage > 0
      OR rental_status <> 'Pass'
      OR wholesale_status <> 'Pass'
      OR creative_finance_status <> 'Pass')`,
  ),
  never(
    'deals',
    'claims_never_lift',
    'the NOI of scores is never above the underwriting, nor above what owners typically earn',
    'noi_scoring > noi_underwritten OR noi_scoring > rounded(wide(list_price) * as_share(cap_rate_middle))',
  ),
  never(
    'deals',
    'rationales_agree',
    'each rationale has the status that it explains',
    `rental_status <> (rental_rationale ->> 'status')
      OR wholesale_status <> (wholesale_rationale ->> 'status')
      OR creative_finance_status <> (creative_finance_rationale ->> 'status')`,
  ),
];

/** Referenced deals, listings and county records exist. */
const LINKS: readonly Audit[] = [
  {
    name: 'deals.matches_exist',
    about: 'a county record that matches, or is a candidate, is published',
    blocking: true,
    sql: `SELECT id, record FROM (
        SELECT deals.id, (found.value ->> 'id') AS record FROM deals, json_each(distress_matches) AS found
        UNION ALL SELECT deals.id, (found.value ->> 'id') FROM deals, json_each(distress_candidates) AS found)
      WHERE record NOT IN (SELECT id FROM signals UNION ALL SELECT id FROM auctions)`,
  },
  {
    name: 'deals.listing_exists',
    about: 'the main listing is the latest version in listing_history',
    blocking: true,
    sql: `SELECT id, source, listing_id FROM deals WHERE NOT EXISTS (
        FROM listing_history AS history
        WHERE history.is_latest
          AND history.deal_id = deals.id
          AND history.source = deals.source
          AND history.listing_id = deals.listing_id)`,
  },
  {
    name: 'deals.versions_have_deals',
    about: 'every version of a listing belongs to a published deal',
    blocking: true,
    sql: `SELECT source, listing_id, version, deal_id FROM listing_history
      WHERE deal_id NOT IN (SELECT id FROM deals)`,
  },
];

/** The loan and its cash. */
const DEBT: readonly Audit[] = [
  never(
    'deals',
    'loan_rate_as_said',
    'every deal has the loan rate of the day',
    'loan_rate_pct <> (SELECT loan_rate_pct FROM int_loan_rates)',
  ),
  never(
    'deals',
    'loan_sized_as_said',
    'loan_sized is at most loan_amount, equal to it exactly if loan_to_value binds, and 0 exactly if there is no loan',
    `loan_sized > loan_amount
      OR (loan_binding = 'loan_to_value') <> (loan_sized = loan_amount)
      OR (loan_binding IN ('none', 'minimum_loan')) <> (loan_sized = 0)
      OR (loan_binding = 'none') <> (net_cash_flow <= 0)`,
  ),
  never(
    'deals',
    'loan_sized_is_covered',
    'net_cash_flow covers the sized loan as lenders require',
    `loan_sized > 0
      AND quotient(net_cash_flow, debt_service_sized) < (SELECT loan_coverage FROM terms)`,
  ),
  never(
    'deals',
    'cash_adds_up',
    'net cash flow, cash flow after debt, cash needed and its return follow from the other figures of the row',
    `net_cash_flow <> noi_underwritten - reserves
      OR cash_flow_after_debt <> net_cash_flow - debt_service_sized
      OR cash_needed <> list_price - loan_sized
        + rounded(wide(list_price) * (SELECT closing_cost_share FROM terms))
      OR cash_on_cash_pct <> percentage(cash_flow_after_debt, cash_needed)`,
  ),
];

export const AUDITS: readonly Audit[] = [
  ...FIGURES,
  ...DEBT,
  ...STATUSES,
  ...CAUTION,
  ...LINKS,
  ...comesAndGoes('deals', "listing_status = 'active'", 'properties for sale', true),
];

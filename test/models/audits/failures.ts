/** For every audit that a model declares, statements that make it fail. */
import { DRIFT } from '../../../models/drift.ts';

/** Add rows to the previous snapshot, many more than today's. */
export const addMany = (model: string, columns: string): string =>
  `INSERT INTO previous_${model} BY NAME
  SELECT 'previous' || i AS id, ${columns} FROM range(${DRIFT.leastRows * 20}) AS t(i)`;
/** Add the smallest number of rows from which drift is measured. */
const addFew = (model: string, columns: string): string =>
  `INSERT INTO previous_${model} BY NAME
  SELECT 'previous' || i AS id, ${columns} FROM range(${DRIFT.leastRows}) AS t(i)`;
/** Copy a row of today many times. */
const copy = (model: string, where: string): string =>
  `INSERT INTO ${model} SELECT * EXCLUDE (i) REPLACE (id || i AS id)
  FROM (SELECT * FROM ${model} WHERE ${where} LIMIT 1), range(${DRIFT.leastRows * 3}) AS t(i)`;
export const ACTIVE = "'active' AS listing_status, 'site' AS source";
const LISTED = "'listed' AS signal_state, 'county' AS source";
const DUE = "'scheduled' AS sale_status, 'sheriff' AS source";
export const set = (table: string, what: string, where = 'true'): string =>
  `UPDATE ${table} SET ${what} WHERE ${where}`;

/** By audit: statements that make it fail. */
export const FAILURES: Readonly<Record<string, readonly string[]>> = {
  'assumptions.set_of_the_run': [set('assumptions', "assumption_set_id = 'another'", "key = 'vacancy'")],
  'auctions.bid_absent_as_said': [
    set('auctions', 'opening_bid = NULL', "opening_bid_basis = 'two_thirds_of_appraisal'"),
  ],
  'auctions.days_in_order': [set('auctions', 'next_sale_date = sale_date')],
  'auctions.discount_as_said': [set('auctions', 'appraisal_discount_pct = 33.34', 'sale_round = 1')],
  'auctions.fell': [addMany('auctions', DUE)],
  'auctions.figures_in_range': [set('auctions', 'appraised_value = 0')],
  'auctions.none_lost': ["INSERT INTO previous_auctions (id) VALUES ('lost')"],
  'auctions.parties_as_said': [set('auctions', "plaintiff = 'A BANK'")],
  'auctions.past_is_not_scheduled': [set('auctions', "sale_date = DATE '2026-11-20'")],
  'auctions.rose': [addFew('auctions', DUE), copy('auctions', 'true')],
  'auctions.round_absent_as_said': [set('auctions', 'sale_round = NULL')],
  'auctions.seen_in_order': [set('auctions', 'first_seen = last_seen + INTERVAL 1 DAY')],
  'auctions.sold_as_said': [set('auctions', 'sold_amount = 1')],
  'auctions.tax_never_derived': [set('auctions', "sale_kind = 'tax_foreclosure'", 'opening_bid_derived')],
  // One cent less than two thirds
  'auctions.two_thirds_holds': [set('auctions', 'opening_bid = 59999.99', 'sale_round = 1')],
  'deals.agreement_as_said': [set('deals', "underwriting_agreement = 'no_claim'")],
  'deals.gap_absent_as_said': [set('deals', "cap_gap_basis = 'no_claim'")],
  'deals.address_absent_as_said': [set('deals', 'address = NULL')],
  'deals.all_but_gone': [addMany('deals', ACTIVE)],
  'deals.cap_identity': [set('deals', 'cap_rate_underwritten = cap_rate_underwritten + 0.01')],
  'deals.cap_rate_absent_as_said': [set('deals', 'cap_rate = NULL')],
  'deals.claims_never_lift': [set('deals', 'noi_scoring = noi_underwritten + 0.01')],
  'deals.confidence_is_sum_of_parts': [set('deals', 'confidence_score = confidence_score + 0.01')],
  'deals.debt_service_is_twelve_payments': [set('deals', 'annual_debt_service = annual_debt_service + 0.01')],
  'deals.delisted_as_said': [set('deals', "delisted_on = DATE '2026-11-20'")],
  'deals.distress_as_said': [set('deals', "distress_matches = '[]'")],
  'deals.dscr_absent_as_said': [set('deals', 'dscr = NULL')],
  'deals.dscr_identity': [set('deals', 'dscr = dscr + 0.01')],
  'deals.fell': [addMany('deals', ACTIVE)],
  'deals.figures_follow': [set('deals', 'debt_yield_pct = debt_yield_pct + 0.01')],
  'deals.figures_in_range': [set('deals', 'days_on_feed = -1')],
  'deals.gap_identity': [set('deals', 'cap_gap_pct = cap_gap_pct + 0.01')],
  'deals.income_absent_as_said': [set('deals', 'gross_potential_rent = NULL')],
  'deals.listing_exists': [set('deals', "listing_id = 'none'")],
  'deals.matches_exist': ["DELETE FROM signals WHERE parcel_id = '001-01-001'"],
  'deals.motivation_is_sum_of_parts': [set('deals', 'motivation_days = motivation_days + 1')],
  'deals.noi_source_as_said': [set('deals', 'noi_source = NULL', 'noi IS NOT NULL')],
  'deals.offer_absent_as_said': [set('deals', 'offer_low = NULL')],
  'deals.offer_in_order': [set('deals', 'offer_high = list_price + 0.01')],
  'deals.price_absent_as_said': [set('deals', 'loan_amount = NULL')],
  'deals.rationales_agree': [set('deals', "rental_status = 'Hot'", "rental_status <> 'Hot'")],
  'deals.rent_absent_as_said': [set('deals', "rent_basis = 'unknown'")],
  'deals.rose': [addFew('deals', ACTIVE), copy('deals', "listing_status = 'active'")],
  'deals.score_is_sum_of_parts': [set('deals', 'deal_score = deal_score + 1')],
  'deals.scores_in_range': [set('deals', 'confidence_score = 1.01')],
  'deals.scoring_absent_as_said': [set('deals', 'noi_scoring = 1', "underwrite_reliability <> 'ok'")],
  'deals.underwriting_reason_as_said': [set('deals', 'underwrite_reason = NULL', "underwrite_reliability <> 'ok'")],
  'deals.unreliable_scores_nothing': [set('deals', 'deal_score_yield = 1', "underwrite_reliability <> 'ok'")],
  'deals.versions_have_deals': ["DELETE FROM deals WHERE listing_id = 'plain'"],
  'filings.agent_status_agrees': [set('filings', 'registered_agent_name = NULL')],
  'filings.amended_after_filed': [set('filings', "amendment_date = DATE '2020-01-01'")],
  'filings.naics_as_said': [set('filings', "naics = '531110'")],
  'filings.none_lost': ["INSERT INTO previous_filings (id) VALUES ('lost')"],
  'filings.seen_in_order': [set('filings', 'first_seen = last_seen + INTERVAL 1 DAY')],
  'int_expenses.every_size_has_a_cell': [set('int_expenses', 'repairs = NULL')],
  'int_loan_rates.survey_as_said': [set('int_loan_rates', "loan_rate_basis = 'survey'")],
  'int_offers.absent_as_said': [set('int_offers', 'offer_high = NULL')],
  'int_property_taxes.reset_is_between': [set('int_property_taxes', 'tax_after_reset = tax_after_reset + 1')],
  'int_rents_in_place.never_above_market': [set('int_rents_in_place', 'contract_rent = rent_in_place + 1')],
  'int_scores.motivation_is_sum': [set('int_scores', 'motivation_score = motivation_score + 1')],
  'int_unit_mixes.adds_up': [set('int_unit_mixes', 'mix_0br = mix_0br + 1')],
  'int_unit_mixes.every_size_has_a_mix': [set('int_unit_mixes', 'mix_sum = NULL')],
  'int_vacancies.shrunk_is_between': [set('int_vacancies', 'shrunk_pct = 99')],
  'int_underwriting.reason_agrees': [set('int_underwriting', 'underwrite_reason = NULL')],
  'leads.auction_fields_as_said': [set('leads', 'case_number = NULL')],
  'leads.corroboration_exists': [set('leads', `corroboration = '[{"id": "none"}]'`)],
  'leads.fell': [addMany('leads', "'county' AS source")],
  'leads.freshness_agrees': [set('leads', "freshness = 'within_7_days'")],
  'leads.kind_follows_from_class': [set('leads', "property_kind = 'other'", 'property_class IS NULL')],
  'leads.kind_as_said': [set('leads', 'amount = NULL')],
  'leads.mail_ready': [set('leads', 'address_key = NULL')],
  'leads.ratio_as_said': [set('leads', 'amount_to_value_pct = amount_to_value_pct + 0.01')],
  'leads.rationale_agrees': [set('leads', `score_rationale = '{"base": "+1 points, because"}'`)],
  'leads.records_exist': [set('leads', "signal_id = 'none'", 'signal_id IS NOT NULL')],
  'leads.rose': [addFew('leads', "'county' AS source"), copy('leads', 'true')],
  'leads.sale_to_come': [set('leads', "sale_date = DATE '2026-11-20'")],
  'leads.score_in_range': [set('leads', 'lead_score = 101')],
  'leads.score_is_sum_of_parts': [set('leads', 'lead_score = lead_score + 1')],
  'leads.seven_days': [set('leads', 'verified_age_days = 8')],
  'listing_history.none_lost': [
    "INSERT INTO previous_listing_history (source, listing_id, version) VALUES ('site', 'lost', 1)",
  ],
  'listing_history.one_latest': [set('listing_history', 'is_latest = false')],
  'listing_history.seen_in_order': [set('listing_history', 'version_last_seen = version_first_seen - INTERVAL 1 DAY')],
  'listing_history.versions_follow': [set('listing_history', 'version = 2')],
  'property_keys.none_sold': ['INSERT INTO sold_properties SELECT DISTINCT property_key FROM property_keys'],
  'property_keys.of_every_lead': ['DELETE FROM property_keys'],
  'property_keys.separable': [set('property_keys', "property_key = 'parcel:39035:1|2'")],
  'reports.grid_whole': ["DELETE FROM assumptions WHERE key = 'grid_rent_1'"],
  'reports.offer_agrees': [set('deals', 'offer_high = offer_high - 500')],
  'reports.one_a_deal': ['DELETE FROM reports'],
  'signals.address_absent_as_said': [set('signals', 'address = NULL')],
  'signals.all_but_gone': [addMany('signals', LISTED)],
  'signals.fell': [addMany('signals', LISTED)],
  'signals.city_absent_as_said': [set('signals', "city_basis = 'published'", 'city IS NULL')],
  'signals.figures_in_range': [set('signals', 'amount = 0')],
  'signals.has_address_agrees': [set('signals', 'has_address = NOT has_address')],
  'signals.kind_follows_from_class': [set('signals', "property_kind = 'other'")],
  'signals.none_lost': ["INSERT INTO previous_signals (id) VALUES ('lost')"],
  'signals.ratio_as_said': [set('signals', 'amount_to_value_pct = 1', 'county_value IS NULL')],
  'signals.rose': [addFew('signals', LISTED), copy('signals', 'true')],
  'signals.seen_in_order': [set('signals', 'first_seen = last_seen + INTERVAL 1 DAY')],
  'signals.state_agrees': [set('signals', "state_reason = 'balance_zero'")],
  'signals.years_absent_as_said': [set('signals', 'years_delinquent = NULL')],
  'signals.zip_absent_as_said': [set('signals', 'zip_basis = NULL')],
  'sources.rows_add_up': [set('sources', 'rows_in = rows_in + 1')],
  'sources.something_was_read': [set('sources', 'last_good_at = NULL')],
  'sources.stale_as_said': [
    set('sources', "freshness = 'stale'"),
    set('sources', "outdated_on = DATE '2026-10-01', outdated_reason = 'fiscal_year_over'"),
  ],
  'stg_area_census.contract_within_gross': [set('stg_area_census', 'median_contract_rent = median_gross_rent + 1')],
  'stg_area_census.medians_positive': [set('stg_area_census', 'median_value = 0')],
  'stg_area_vacancies.a_share': [set('stg_area_vacancies', 'vacancy_pct = 100.01')],
  'stg_loan_statements.noi_adds_up': [set('stg_loan_statements', 'underwritten_noi = underwritten_noi + 2')],
  'stg_loan_statements.statement_in_order': [set('stg_loan_statements', 'recent_starts_on = recent_ends_on + 1')],
  'stg_survey_rates.all_made_up_or_none': [
    'INSERT INTO stg_survey_rates SELECT * REPLACE (NOT is_made_up AS is_made_up) FROM stg_survey_rates',
  ],
  'stg_survey_rates.not_of_the_future': [set('stg_survey_rates', "observed_on = DATE '2026-11-22'")],
  'stg_survey_rates.sources_agree': [set('staged_survey_rate', 'rate_pct = 6.96', "source = 'fred_rates'")],
};

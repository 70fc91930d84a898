/** Faults in staging, models and audits: a wrong formula, a lost history, a join of two properties. */
import { audit, change, HISTORY_DAYS, reconcile, test, type Catcher, type PlantedFault } from './fault.ts';

const HISTORY = 'models/marts/listing_history.sql';
const PROPERTIES = 'models/intermediate/properties/int_properties.sql';
const UNDERWRITING = 'models/intermediate/underwriting/int_underwriting.sql';
const OWNER_INCOMES = 'models/intermediate/underwriting/int_owner_incomes.sql';
const PROXIES = 'models/intermediate/income/int_hud_proxies.sql';
const WORKED_DEALS = 'models/underwriting/worked_deals.test.ts';
/** The independent recomputation, over random deals and over the default world. */
const RECOMPUTED = test('models/recompute.test.ts', 'recompute every computed column');
const RECOMPUTED_WORLD = test('models/recompute.test.ts', 'has deals whose every figure is recomputed');
const SIGNALS = 'models/marts/signals.sql';
const RECORDS = 'models/intermediate/signals/int_distress_signals.sql';
const SCORES = 'models/intermediate/scores/int_scores.sql';
const CONFIDENCE = 'models/intermediate/scores/int_confidence.sql';
const condition = (name: string): Catcher => test('models/underwriting/condition_records.test.ts', name);
const AUCTIONS = 'models/marts/auctions.sql';

/** Identity: which rows are one property. */
const identityFaults: readonly PlantedFault[] = [
  {
    name: 'a listing of all units without their number is another property',
    changes: [
      change(
        'lib/addresses/units.ts',
        'units === null ? named >= 2 && named <= 99 : named === units',
        'named === units',
      ),
    ],
    caughtBy: [test('identity/identity.test.ts', 'match as listed')],
  },
  {
    name: '"608 North West Haven Road" is in the northwest',
    changes: [change('lib/addresses/parts.ts', ' &&\n  (words.length > 4 || !isSuffix(words[2]));', ';')],
    caughtBy: [test('identity/identity.test.ts', 'match as listed')],
  },
  {
    name: '"638 W Avenue K" has a unit K',
    changes: [change('lib/addresses/parts.ts', " && !isNamedAvenue(street.split(' '))", '')],
    caughtBy: [test('identity/identity.test.ts', 'match as listed')],
  },
  {
    name: 'the same street in two ZIPs is one deal',
    changes: [
      change('models/staging/stg_listings.sql', "'deal|' || address_key || '|' || zip", "'deal|' || address_key"),
    ],
    caughtBy: [test('models/history/history.test.ts', 'with the same street in another ZIP')],
  },
  {
    name: 'the debt of a condominium counts against its building',
    changes: [
      change(
        'models/intermediate/distress/int_distress_matches.sql',
        'records.is_condominium and matches.unit_key is null as is_unit_of_building',
        'false as is_unit_of_building',
      ),
    ],
    caughtBy: [test('identity/identity.test.ts', 'attach no distress to another property')],
  },
  {
    name: 'a record of an unknown place matches no city and no ZIP',
    changes: [change('lib/addresses/match.ts', "if (agreement === 'other')", "if (agreement !== 'same')")],
    caughtBy: [test('api/routes/lookup_places.test.ts', 'matches a record without a place by a city or a ZIP')],
  },
];

/** History: what an earlier snapshot knows. */
const historyFaults: readonly PlantedFault[] = [
  {
    name: 'the first price is lost on a second cut',
    changes: [
      change(
        HISTORY,
        'when previous.may_continue then previous.first_price',
        'when previous.may_continue then previous.list_price',
      ),
    ],
    caughtBy: [
      reconcile('listings: first_price', HISTORY_DAYS),
      test('models/history/history.test.ts', 'with a second price cut'),
    ],
  },
  {
    name: 'first_seen is that of the main listing, not of the first of two sites',
    changes: [
      change(
        PROPERTIES,
        'coalesce(first_seen_if_listed, listing_first_seen) as first_seen',
        'listing_first_seen as first_seen',
      ),
    ],
    caughtBy: [test('models/history/history.test.ts', 'on two sites was first seen when the first of them showed it')],
  },
  {
    name: 'a listing that disappears stays listed',
    changes: [
      change(
        HISTORY,
        'when sites.last_good_at > previous.version_last_seen then run.as_of',
        'when false then run.as_of',
      ),
    ],
    caughtBy: [reconcile('listings: gone_on', HISTORY_DAYS)],
  },
  {
    name: 'a relisting starts a new history',
    changes: [
      change(
        HISTORY,
        'when previous.listing_id is null then ended.listing_id is not null',
        'when previous.listing_id is null then false',
      ),
    ],
    caughtBy: [test('models/history/history.test.ts', 'of the same property with a new number is a relisting')],
  },
  {
    name: 'a debt that leaves its list stays listed',
    changes: [
      change(
        SIGNALS,
        "when sources.last_good_at > previous.last_seen then 'removed'",
        "when sources.last_good_at > previous.last_seen then 'listed'",
      ),
    ],
    caughtBy: [test('models/history/history.test.ts', 'is removed when it leaves its list')],
  },
  {
    name: 'days_on_feed counts one day too many',
    changes: [
      change(
        PROPERTIES,
        'days_since(first_seen, coalesce(gone_on, run.as_of))',
        '1 + days_since(first_seen, coalesce(gone_on, run.as_of))',
      ),
    ],
    caughtBy: [RECOMPUTED],
  },
];

/** Figures and scores. */
const figureFaults: readonly PlantedFault[] = [
  {
    name: 'of several debts of a deal only the greatest counts',
    changes: [
      change(
        'models/intermediate/distress/int_distress.sql',
        "sum(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount",
        "max(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount",
      ),
    ],
    caughtBy: [
      test('models/distress/distress.test.ts', 'several debts of one property count with their sum'),
      RECOMPUTED,
    ],
  },
  {
    name: 'no vacancy is deducted',
    changes: [change(PROXIES, 'months_per_year * (1 - vacancy) as effective', 'months_per_year as effective')],
    caughtBy: [test(WORKED_DEALS, '1 overclaim in Cleveland'), RECOMPUTED, RECOMPUTED_WORLD],
  },
  {
    name: 'a building of twelve units has the expenses of a larger one',
    changes: [change(PROXIES, 'units <= medium_units_max then', 'units < medium_units_max then')],
    caughtBy: [test(WORKED_DEALS, '1 overclaim in Cleveland'), RECOMPUTED, RECOMPUTED_WORLD],
  },
  {
    name: 'vacancy is deducted in thousandths',
    changes: [
      change(
        'models/intermediate/income/int_expenses.sql',
        'rounded(wide(gross_potential_rent) * (1 - as_share(vacancy_pct)))',
        'rounded(wide(gross_potential_rent) * (1 - vacancy_pct * 0.001))',
      ),
    ],
    caughtBy: [RECOMPUTED, RECOMPUTED_WORLD],
  },
  {
    name: 'the discount of a sale is a share of the bid',
    changes: [
      change(
        AUCTIONS,
        'percentage(appraised_value - opening_bid, appraised_value) as appraisal_discount_pct',
        'percentage(appraised_value - opening_bid, opening_bid) as appraisal_discount_pct',
      ),
    ],
    caughtBy: [test('models/recompute.test.ts', 'has leads, debts and sales whose every figure is recomputed')],
  },
  {
    name: 'a price per unit is said to need a price only',
    changes: [
      change(
        'models/absence/deals.ts',
        'export const NO_PRICE_OR_UNITS = because(PRICE, UNITS);',
        'export const NO_PRICE_OR_UNITS = because({ ...PRICE });',
      ),
    ],
    caughtBy: [
      audit('deals.price_per_unit_absent_as_said'),
      test('models/figures/absence.test.ts', 'follow from its SQL'),
    ],
  },
  {
    name: 'scores use the greater of two incomes',
    changes: [change(OWNER_INCOMES, 'else least(noi_cautious, rounded(', 'else greatest(noi_cautious, rounded(')],
    caughtBy: [audit('deals.claims_never_lift')],
  },
  {
    name: "the claim of a broker replaces HUD's rent in the cap rate",
    changes: [
      change(
        UNDERWRITING,
        'percentage(noi_underwritten, list_price) as cap_rate_underwritten',
        'percentage(coalesce(claimed_noi, noi_underwritten), list_price) as cap_rate_underwritten',
      ),
    ],
    caughtBy: [audit('deals.cap_identity')],
  },
  {
    name: 'the survey rate of a week to come counts',
    changes: [change('models/intermediate/loans/int_loan_rates.sql', 'and weeks.observed_on <= run.as_of', '')],
    caughtBy: [test('models/loans/loan_rates.test.ts', 'is that of the newest survey week at or before the day')],
  },
  {
    name: 'a lender sizes the greater of two loans',
    changes: [
      change(
        'models/macros/underwriting.sql',
        'THEN least(loan_amount, quotient_down_to(',
        'THEN greatest(loan_amount, quotient_down_to(',
      ),
    ],
    caughtBy: [audit('deals.loan_sized_as_said')],
  },
  {
    name: 'a second sale has the minimum of a first',
    changes: [
      change(
        AUCTIONS,
        "sale_kind = 'mortgage_foreclosure' and sale_round = 1 as is_first_mortgage_sale",
        "sale_kind = 'mortgage_foreclosure' as is_first_mortgage_sale",
      ),
    ],
    caughtBy: [reconcile('sales of sheriffs: opening_bid_basis')],
  },
  {
    name: 'the two thirds of Ohio hold in every state',
    changes: [
      change(
        AUCTIONS,
        'left join two_thirds_sales using (state, auction_type, sale_kind)',
        'left join two_thirds_sales using (sale_kind)',
      ),
    ],
    caughtBy: [test('models/leads/auctions.test.ts', 'a bid outside Ohio is the published one or unknown')],
  },
  {
    name: 'a post office box shows where an owner lives',
    changes: [
      change(
        'models/macros/owners.sql',
        "WHEN mail.kind <> 'street' OR home.street_key IS NULL THEN 'unknown'",
        "WHEN home.street_key IS NULL THEN 'unknown'",
      ),
    ],
    caughtBy: [reconcile('tax debts of 39035: owner_location')],
  },
  {
    name: 'years of delinquency score without a limit',
    changes: [
      change(
        'models/intermediate/leads/int_tax_leads.sql',
        'else least(tax_years_max, points_of_months(months_delinquent, tax_points_per_year, months_per_year))',
        'else points_of_months(months_delinquent, tax_points_per_year, months_per_year)',
      ),
    ],
    caughtBy: [audit('leads.score_in_range')],
  },
  {
    name: 'a sale of the day itself is no lead',
    changes: [
      change(
        'models/macros/sales.sql',
        "sale_status = 'scheduled' AND sale_date >= as_of",
        "sale_status = 'scheduled' AND sale_date > as_of",
      ),
    ],
    caughtBy: [reconcile('leads: rows')],
  },
];

/** Condition of the building, and confidence. */
const conditionFaults: readonly PlantedFault[] = [
  {
    name: 'a registration counts for three years and a day',
    changes: [
      change(RECORDS, 'to_months(condition_months) < run.as_of', 'to_months(condition_months) < run.as_of - 1'),
    ],
    caughtBy: [condition('registered as vacant three years and one day ago are not')],
  },
  {
    name: 'a registration ends on the day on which it is three years old',
    changes: [change(RECORDS, 'to_months(condition_months) < run.as_of', 'to_months(condition_months) <= run.as_of')],
    caughtBy: [condition('registered as vacant three years ago to the day are vacant')],
  },
  {
    name: 'a condemnation whose list says that it is in force ends after three years',
    changes: [change(RECORDS, "(record.record_state = 'unknown' or record.state_raw is null)", 'true')],
    caughtBy: [condition('condemned long ago are condemned as long as the list says so')],
  },
  {
    name: 'a registration that its list calls closed is in force',
    changes: [
      change(
        RECORDS,
        "record.record_state = 'closed' or record.amount <= 0 then 'removed'",
        "record.amount <= 0 then 'removed'",
      ),
    ],
    caughtBy: [condition('whose registration the list calls closed are not vacant')],
  },
  {
    name: 'a range of house numbers condemns each house in it',
    changes: [
      change(
        'models/intermediate/distress/int_distress.sql',
        'where is_exact and condition_record is not null',
        'where condition_record is not null',
      ),
    ],
    caughtBy: [condition('in a range of numbers of the record are not matched')],
  },
  {
    name: 'the cap of a condemned building holds only where no other limit is near',
    changes: [
      change(SCORES, 'when is_not_let then least(0,', 'when is_not_let and score_share_pct = 100 then least(0,'),
    ],
    caughtBy: [RECOMPUTED],
  },
  {
    name: 'a condemned building may have 60 points',
    changes: [
      change('models/assumptions/scores.ts', "'condition_score_cap',\n    '10',", "'condition_score_cap',\n    '60',"),
    ],
    caughtBy: [test('models/underwriting/condition.test.ts', 'condemned keep 10 points and no rental path')],
  },
  {
    name: 'a condemned building keeps its rental path',
    changes: [
      change(
        'models/intermediate/offers/int_paths.sql',
        "case when is_not_let then 'Pass' else status_with_risk(rental",
        "case when false then 'Pass' else status_with_risk(rental",
      ),
    ],
    caughtBy: [
      test('models/underwriting/condition.test.ts', 'condemned keep 10 points and no rental path'),
      RECOMPUTED,
    ],
  },
  {
    name: 'a sale in exactly thirty days is not soon',
    changes: [change(SCORES, 'sale_in_days <= distress_sale_soon_days', 'sale_in_days < distress_sale_soon_days')],
    caughtBy: [test('models/distress/distress.test.ts', 'days earns')],
  },
  {
    name: 'a survey lifts the NOI of scores above our own',
    changes: [change(OWNER_INCOMES, 'then least(noi_of_owners, noi_underwritten) end', 'then noi_of_owners end')],
    caughtBy: [RECOMPUTED, RECOMPUTED_WORLD],
  },
  {
    name: 'assumed bedrooms count as known',
    changes: [change(CONFIDENCE, "unit_mix_basis = 'listing'", "unit_mix_basis <> 'unknown'")],
    caughtBy: [test(WORKED_DEALS, '1 overclaim in Cleveland'), RECOMPUTED, RECOMPUTED_WORLD],
  },
];

/** Prices of offers, and the pages behind figures. */
const offerFaults: readonly PlantedFault[] = [
  {
    name: 'an offer takes the tax of the asking price',
    changes: [
      change(
        'models/intermediate/income/int_expenses.sql',
        'rounded(effective_gross_income - expenses_without_tax - tax_fixed) as noi_untaxed',
        'total(effective_gross_income - operating_expenses) as noi_untaxed',
      ),
    ],
    caughtBy: [RECOMPUTED, test(WORKED_DEALS, '4 Hot in San Antonio')],
  },
  {
    name: 'the coverage of an offer leaves out its reserves',
    changes: [
      change(
        'models/intermediate/offers/int_offers.sql',
        '      reserves, offer_coverage * loan_to_value * annual_constant',
        '      0, offer_coverage * loan_to_value * annual_constant',
      ),
    ],
    caughtBy: [RECOMPUTED],
  },
  {
    name: 'the bill of today is no floor of the tax of an offer',
    changes: [
      change(
        'models/intermediate/income/int_expenses.sql',
        'expenses_without_tax - tax_floor) as noi_highest',
        'expenses_without_tax) as noi_highest',
      ),
    ],
    caughtBy: [RECOMPUTED_WORLD, test(WORKED_DEALS, '1 overclaim in Cleveland')],
  },
  {
    name: 'a claim below the underwriting lowers no offer',
    changes: [
      change(
        'models/macros/underwriting.sql',
        '    price_at_yield(highest + claim, untaxed + claim, tax_per_dollar, 2 * costs, 2 * yield)',
        '    price_at_yield(highest, untaxed, tax_per_dollar, costs, yield)',
      ),
    ],
    caughtBy: [RECOMPUTED, test(WORKED_DEALS, '2 hidden upside in Columbus')],
  },
  {
    name: 'the vacancy of a deal names no page',
    changes: [
      change(
        'models/intermediate/income/int_deal_income.sql',
        "'derived', vacancies.source, vacancies.source_url, vacancies.observed_at,",
        "'derived', vacancies.source, null, vacancies.observed_at,",
      ),
    ],
    caughtBy: [test('analyse/worked.test.ts', 'of a deal: every page on which its figures rest')],
  },
  {
    name: 'a judgement is of the page that it judges',
    changes: [change('pipelines/analyse/explain/explain.ts', 'isJudgement ? new Map() : positions', 'positions')],
    caughtBy: [test('analyse/worked.test.ts', 'of a deal: every page on which its figures rest')],
  },
];

/** Audits and expectations that no longer look. */
const guardFaults: readonly PlantedFault[] = [
  {
    name: 'an audit of a source finds nothing',
    changes: [
      change(
        'models/marts/sources.sql',
        'where rows_in <> rows_out + rows_rejected + rows_merged',
        'where rows_in < 0',
      ),
    ],
    caughtBy: [test('models/build/audits.test.ts', 'of the models fail for their error')],
  },
  {
    name: 'repeated keys are not audited',
    changes: [change('models/contract.ts', 'GROUP BY ALL HAVING count(*) > 1', 'GROUP BY ALL HAVING count(*) > 9')],
    caughtBy: [test('models/build/audits.test.ts', 'of columns fail for a repeated key')],
  },
  {
    name: 'a whole address counts as a street in the join rates',
    changes: [
      change(
        'models/intermediate/signals/int_join_rates.sql',
        String.raw`and not regexp_matches(rows.street, ',.*\b[A-Z]{2},?\s*\d{5}(-\d{4})?\s*$', 'i')`,
        '',
      ),
    ],
    caughtBy: [
      test('models/distress/join_rates.test.ts', 'a whole address in the field of the street is no street address'),
    ],
  },
  {
    name: 'a fall of a join rate is never reported',
    changes: [
      change('models/macros/join_rates.sql', '100 * share_pct < 60 * before_pct', '100 * share_pct < 0 * before_pct'),
    ],
    caughtBy: [test('models/distress/join_rates.test.ts', 'a share that falls below six tenths')],
  },
];

export const modelFaults: readonly PlantedFault[] = [
  ...identityFaults,
  ...historyFaults,
  ...figureFaults,
  ...offerFaults,
  ...conditionFaults,
  ...guardFaults,
];

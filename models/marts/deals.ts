import { z } from 'zod';
import {
  date,
  defineRecord,
  flag,
  instant,
  integer,
  json,
  money,
  oneOf,
  percent,
  ratio,
  text,
} from '../../lib/record.ts';
import { defineModel, never } from '../contract.ts';
import { comesAndGoes } from '../drift.ts';
import { addressParts, rationale, readFrom } from '../fields.ts';

const nullableText = z.string().nullable();

/** A county record of distress that belongs to the property, or may. */
const Distress = z.strictObject({
  kind: z.enum(['tax_delinquent', 'sheriff_sale']),
  id: z.string(),
  match_basis: z.enum([
    'address_exact',
    'parcel_exact',
    'address_range',
    'address_without_unit',
    'address_without_zip',
    'condominium_of_building',
  ]),
  county: z.string(),
  parcel_id: nullableText,
  address: nullableText,
  amount: nullableText,
  sale_date: nullableText,
  source_url: z.string(),
  last_seen: z.string(),
});

const covered = z.enum(['covered', 'county_not_covered']);
const Coverage = z.strictObject({ tax_delinquent: covered, sheriff_sale: covered });

const AlsoListed = z.strictObject({
  source: z.string(),
  listing_id: z.string(),
  listing_url: z.string(),
  listing_status: z.string(),
  list_price: nullableText,
  units: z.int().nullable(),
  cap_rate: nullableText,
  noi: nullableText,
  first_seen: z.string(),
  last_seen: z.string(),
});

const Origin = z.strictObject({
  method: z.enum(['published', 'derived', 'assumed', 'matched', 'absent']),
  source: nullableText,
  source_url: nullableText,
  observed_at: nullableText,
});

const NO_PRICE = 'the site publishes no price; dscr_reason says so';
const NO_INCOME = 'units or market_rent_2br is null';
const NO_UNDERWRITING =
  'list_price, units or market_rent_2br is null; underwrite_reason says which, the first of them where several are';
const NO_RENT = "rent_basis is unknown: no HUD area could be told from the ZIP, or HUD's figures were never read";

export const Deal = defineRecord(
  'deal',
  'One row per property that is or was listed for sale, ranked by deal_score.',
  ['id'],
  {
    // Property
    id: text(
      'UUID of the property: version 5 of its normalised street address and ZIP, or of source and listing id where the site hides the street.',
    ),
    address: text('Street address as the listing shows it.', { absent: 'address_status is hidden_by_source' }),
    city: text('City.'),
    state: text('Two-letter state.'),
    zip: text('Five-digit ZIP.'),
    // Listing
    source: readFrom.source,
    listing_url: text('Page of the listing.'),
    list_price: money('Asking price.', { absent: NO_PRICE }),
    units: integer('Number of dwelling units.', {
      absent: 'the site does not state it; underwrite_reason says so',
      unit: 'units',
    }),
    cap_rate: percent('Advertised cap rate.', {
      absent: 'the site advertises none and states no NOI; cap_rate_source says so',
    }),
    noi: money('Net operating income a year; noi_source says whose figure it is.', {
      absent: 'it is neither stated nor computable; dscr_reason says so',
    }),
    noi_source: oneOf(['stated', 'derived_from_advertised_cap', 'underwritten'], 'Where noi comes from.', {
      absent: 'noi is null; dscr_reason says why',
    }),
    // Underwriting
    market_rent_2br: money(
      'HUD Fair Market Rent of 2 bedrooms a month, as HUD publishes it: gross rent, a proxy and not a rent roll.',
      { absent: NO_RENT },
    ),
    noi_underwritten: money('NOI from the HUD rent and the declared assumptions, a year, before reserves.', {
      absent: NO_INCOME,
    }),
    cap_rate_underwritten: percent('noi_underwritten over list_price.', { absent: NO_UNDERWRITING }),
    dscr: ratio('noi over annual_debt_service.', { absent: 'dscr_status is not computed; dscr_reason says why' }),
    dscr_status: oneOf(['computed', 'insufficient_data', 'not_applicable'], 'Whether dscr could be computed.'),
    deal_score: integer('Yield, coverage, motivation and distress, 0 to 100: the sum of the four deal_score parts.', {
      unit: 'points',
    }),
    confidence_score: ratio(
      'How much of the record is computed or verified rather than assumed, 0 to 1: the sum of confidence_parts.',
    ),
    why_this_is_interesting: text('One plain sentence.'),
    cap_gap_pct: percent('cap_rate less cap_rate_underwritten; positive: the broker claims more.', {
      absent: 'there is no claim, or no underwriting; cap_rate_source and underwrite_reason say which',
      unit: 'percentage points',
    }),
    underwrite_reliability: oneOf(
      ['ok', 'proxy_out_of_range', 'unknown'],
      "Whether HUD's 2-bedroom rent is a usable proxy for this property.",
    ),
    rental_status: oneOf(['Hot', 'Warm', 'Pass'], 'The rental path.'),
    motivation_score: integer('What the service itself saw of price cuts and time on the feed, 0 to 100.', {
      unit: 'points',
    }),
    last_verified: instant("When the asking price was last read on the listing's page."),
    price_reduction_pct: percent(
      "Price drop observed across this service's own runs, from first_price to list_price; 0.00 where none was seen.",
      { absent: NO_PRICE },
    ),
    days_on_feed: integer(
      'Whole days from first_seen to the data clock, or to the day it was found gone. Not days on market.',
      { unit: 'days' },
    ),

    // Ours: identity and state of the listing
    ...addressParts('address_status is not available'),
    address_status: oneOf(
      ['available', 'hidden_by_source', 'no_house_number'],
      'Whether the street address is known well enough to match county records.',
    ),
    listing_id: text("The site's own identifier."),
    listing_status: oneOf(
      ['active', 'under_contract', 'sold', 'delisted'],
      'active: shown for sale on the last good read; delisted: no longer shown.',
    ),
    delisted_on: date('Day of the run that found it gone.', { absent: 'listing_status is not delisted' }),
    relisted: flag('The property had gone from this site and came back within the declared days.'),
    also_listed: json(z.array(AlsoListed), 'Other listings of the same property.'),
    property_type: text("Property type in the site's own words.", { absent: 'not stated' }),
    year_built: integer('Year of construction.', { absent: 'not stated', unit: 'year' }),
    listed_on: date('Day the site says the listing was posted.', { absent: 'not stated' }),
    first_seen: instant('When this service first read a listing of the property.'),
    last_seen: instant('When this service last saw any listing of the property.'),
    first_price: money('First asking price this service saw for the listing that stands.', { absent: NO_PRICE }),
    price_per_unit: money('list_price over units.', {
      absent: 'price or units is missing; underwrite_reason says which',
    }),
    source_url: readFrom.source_url,
    observed_at: instant('When that page was read.'),
    page_sha256: readFrom.page_sha256,
    page_row: readFrom.page_row,

    // Ours: claim
    cap_rate_source: oneOf(
      ['advertised', 'derived_from_stated_noi', 'none'],
      'Whose cap_rate it is: stated NOI over list_price where the site gives NOI but no cap rate.',
    ),
    claim_consistency: oneOf(
      ['consistent', 'inconsistent', 'not_checkable'],
      'Whether the stated NOI gives the advertised cap rate to within 0.10 points; not_checkable unless both are published.',
    ),

    // Ours: rent
    rent_basis: oneOf(
      ['zip', 'zip_lowest_of_several', 'metro', 'metro_lowest_of_several', 'unknown'],
      "zip: HUD's small-area rent of the ZIP; metro: the rent of the HUD area the ZIP lies in; lowest_of_several: the ZIP lies in several areas and the lowest rent counts.",
    ),
    rent_area_code: text('HUD area of the rent.', { absent: NO_RENT }),
    rent_area_name: text('Name of the HUD area.', { absent: NO_RENT }),
    rent_fiscal_year: integer('HUD fiscal year of the rent.', { absent: NO_RENT, unit: 'year' }),
    rent_source_url: text('Where HUD publishes it.', { absent: NO_RENT }),
    rent_observed_at: instant('When it was read.', { absent: NO_RENT }),

    // Ours: the steps of underwriting
    gross_potential_rent: money('units x contract rent x 12.', { absent: NO_INCOME }),
    effective_gross_income: money('gross potential rent less vacancy.', { absent: NO_INCOME }),
    expense_ratio_pct: percent('Operating expenses over effective gross income, for this size and age.', {
      absent: 'units is null',
    }),
    underwrite_reason: oneOf(
      [
        'price_missing',
        'units_missing',
        'rent_missing',
        'price_per_unit_above_144x_monthly_2br_rent',
        'price_per_unit_below_24x_monthly_2br_rent',
      ],
      'Why underwrite_reliability is not ok; the first that applies.',
      { absent: 'underwrite_reliability is ok' },
    ),
    loan_amount: money('Loan at the declared loan-to-value, whether or not a lender makes one of this size.', {
      absent: NO_PRICE,
    }),
    monthly_payment: money('Payment a month at the declared rate and years.', { absent: NO_PRICE }),
    annual_debt_service: money('Twelve payments.', { absent: NO_PRICE }),
    dscr_underwritten: ratio('noi_underwritten over annual_debt_service.', {
      absent: 'dscr_status is not_applicable, or there is no underwriting; dscr_reason and underwrite_reason say which',
    }),
    dscr_reason: oneOf(
      [
        'single_unit',
        'not_income_property',
        'loan_below_minimum',
        'price_missing',
        'noi_missing',
        'price_and_noi_missing',
      ],
      'Why dscr_status is not computed.',
      { absent: 'dscr_status is computed' },
    ),
    debt_yield_pct: percent('noi over loan_amount.', { absent: 'dscr_status is not computed; dscr_reason says why' }),
    break_even_occupancy_pct: percent(
      'Operating expenses (effective_gross_income less noi_underwritten) and debt service over gross potential rent.',
      {
        absent:
          'dscr_status is not_applicable, or there is no underwriting; dscr_reason and underwrite_reason say which',
      },
    ),
    gross_rent_multiplier: ratio('list_price over gross_potential_rent.', { absent: NO_UNDERWRITING }),

    // Ours: scores and their parts
    noi_scoring: money('The lower of noi_underwritten and the middle between it and the claim.', {
      absent:
        'underwrite_reliability is not ok, or the property is no income property; underwrite_reason and dscr_reason say which',
    }),
    cap_scoring_pct: percent('noi_scoring over list_price.', { absent: 'noi_scoring is null' }),
    coverage_scoring: ratio('noi_scoring less reserves, over annual_debt_service.', { absent: 'noi_scoring is null' }),
    deal_score_yield: integer('Part of deal_score from cap_scoring_pct.', { unit: 'points' }),
    deal_score_coverage: integer('Part of deal_score from coverage_scoring.', { unit: 'points' }),
    deal_score_motivation: integer('Part of deal_score from motivation_score.', { unit: 'points' }),
    deal_score_distress: integer('Part of deal_score from distress_score.', { unit: 'points' }),
    motivation_price_cut: integer('Part of motivation_score from price_reduction_pct.', { unit: 'points' }),
    motivation_days: integer('Part of motivation_score from days_on_feed.', { unit: 'points' }),
    confidence_parts: json(z.record(z.string(), z.string()), 'Parts of confidence_score by name, decimals as strings.'),

    // Ours: the three paths
    rental_rationale: rationale('rental'),
    wholesale_status: oneOf(['Hot', 'Warm', 'Pass'], 'The wholesale path.'),
    wholesale_rationale: rationale('wholesale'),
    creative_finance_status: oneOf(['Hot', 'Warm', 'Pass'], 'The creative-finance path.'),
    creative_finance_rationale: rationale('creative-finance'),

    // Ours: offer range at the declared target cap
    offer_status: oneOf(
      [
        'computed',
        'claimed_basis_unverified',
        'proxy_out_of_range_without_claim',
        'price_below_proxy_range',
        'insufficient_data',
        'noi_not_positive',
        'not_applicable',
      ],
      "Whether an offer range could be computed, and on whose NOI: the scoring NOI, or where the proxy does not fit the broker's unverified claim.",
    ),
    offer_low: money("Low end: the high end's NOI under the declared stress, at the target cap.", {
      absent: 'offer_status is neither computed nor claimed_basis_unverified',
    }),
    offer_high: money('High end: least of the asking price, NOI at the target cap, and NOI at the declared coverage.', {
      absent: 'offer_status is neither computed nor claimed_basis_unverified',
    }),
    offer_binding: oneOf(['list_price', 'target_cap', 'debt_coverage'], 'What sets the high end.', {
      absent: 'offer_status is neither computed nor claimed_basis_unverified',
    }),
    ask_at_or_below_target_value: flag('The asking price is no higher than NOI at the target cap.', {
      absent: 'offer_status is neither computed nor claimed_basis_unverified',
    }),

    // Ours: distress
    distress_score: integer('Tax delinquency and sheriff sale of the same address, 0 to 100.', { unit: 'points' }),
    distress_status: oneOf(
      ['matched', 'none_found', 'partly_covered', 'county_not_covered', 'address_unknown'],
      'What is known of distress. none_found is said only where both the tax lists and the sheriff sales read here cover the ZIP; partly_covered: one of them does, and shows nothing; county_not_covered: neither does.',
    ),
    distress_coverage: json(Coverage, 'Whether the lists read here cover the ZIP, by kind of distress.'),
    distress_matches: json(
      z.array(Distress),
      'County records of exactly this address (address_exact), or of a parcel that stands at it (parcel_exact); they make distress_score.',
    ),
    distress_candidates: json(
      z.array(Distress),
      'County records that may be of this property: the numbers overlap as a range, the unit is missing on one side, the county prints no ZIP, or the parcel is a condominium of the building. They score nothing.',
    ),

    provenance: json(
      z.record(z.string(), Origin),
      'For each group of fields where it comes from: listing, claim, rent, underwriting, debt, distress, history. assumed: nobody published it, the assumption set named as source declares it; matched: the records are in distress_matches, each with its own page.',
    ),
    assumption_set_id: text('Assumption set of the underwriting.'),
  },
);

export default defineModel({
  record: Deal,
  audits: [
    // Sums and identities, from the figures that the record shows
    never(
      'deals',
      'score_is_sum_of_parts',
      'deal_score is the sum of its four parts',
      'deal_score <> deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress',
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
      "confidence_score <> (SELECT sum(CAST(json_extract_string(value, '$') AS DECIMAL(14, 2))) FROM json_each(confidence_parts))",
    ),
    never(
      'deals',
      'scores_in_range',
      'scores lie in 0..100, confidence in 0..1',
      'deal_score NOT BETWEEN 0 AND 100 OR motivation_score NOT BETWEEN 0 AND 100 OR distress_score NOT BETWEEN 0 AND 100 OR confidence_score NOT BETWEEN 0 AND 1',
    ),
    never(
      'deals',
      'gap_identity',
      'cap_gap_pct is cap_rate less cap_rate_underwritten',
      'cap_gap_pct IS DISTINCT FROM cap_rate - cap_rate_underwritten',
    ),
    never(
      'deals',
      'dscr_identity',
      'dscr is noi over annual_debt_service',
      'dscr <> quotient(noi, annual_debt_service)',
    ),
    never(
      'deals',
      'cap_identity',
      'cap_rate_underwritten is noi_underwritten over list_price',
      'cap_rate_underwritten IS DISTINCT FROM percentage(noi_underwritten, list_price)',
    ),
    never(
      'deals',
      'figures_follow',
      'price per unit, price reduction, DSCR of the underwriting, debt yield, rent multiplier and the scoring cap rate follow from the figures beside them',
      `price_per_unit IS DISTINCT FROM quotient(list_price, units) OR price_reduction_pct <> greatest(0, percentage(first_price - list_price, first_price))
        OR dscr_underwritten <> quotient(noi_underwritten, annual_debt_service) OR debt_yield_pct <> percentage(noi, loan_amount)
        OR gross_rent_multiplier IS DISTINCT FROM quotient(list_price, gross_potential_rent) OR cap_scoring_pct IS DISTINCT FROM percentage(noi_scoring, list_price)`,
    ),
    never(
      'deals',
      'figures_in_range',
      'prices, rents and counts are positive, shares lie in 0..100, and nothing was verified after the data clock, but for a run that passes midnight',
      `list_price <= 0 OR first_price <= 0 OR units <= 0 OR market_rent_2br <= 0 OR days_on_feed < 0 OR price_reduction_pct NOT BETWEEN 0 AND 100
        OR expense_ratio_pct NOT BETWEEN 0 AND 100 OR loan_amount > list_price OR CAST(last_verified AS DATE) > (SELECT as_of + 1 FROM run)`,
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
    // Null exactly where the status says so
    never(
      'deals',
      'dscr_absent_as_said',
      'dscr is null exactly when dscr_status is not computed',
      "(dscr IS NULL) <> (dscr_status <> 'computed') OR (dscr_reason IS NULL) <> (dscr_status = 'computed')",
    ),
    never(
      'deals',
      'underwriting_reason_as_said',
      'underwrite_reason is null exactly when the proxy is ok',
      "(underwrite_reason IS NULL) <> (underwrite_reliability = 'ok')",
    ),
    never(
      'deals',
      'noi_source_as_said',
      'noi and noi_source are null together',
      '(noi IS NULL) <> (noi_source IS NULL)',
    ),
    never(
      'deals',
      'rent_absent_as_said',
      'the rent is null exactly when its basis is unknown',
      "(market_rent_2br IS NULL) <> (rent_basis = 'unknown')",
    ),
    never(
      'deals',
      'cap_rate_absent_as_said',
      'cap_rate is null exactly when it has no source',
      "(cap_rate IS NULL) <> (cap_rate_source = 'none')",
    ),
    never(
      'deals',
      'address_absent_as_said',
      'address and its key are null exactly when address_status says so',
      "(address IS NULL) <> (address_status = 'hidden_by_source') OR (address_key IS NULL) <> (address_status <> 'available')",
    ),
    never(
      'deals',
      'delisted_as_said',
      'delisted_on stands exactly on delisted rows',
      "(delisted_on IS NULL) <> (listing_status <> 'delisted')",
    ),
    never(
      'deals',
      'offer_absent_as_said',
      'the offer is null exactly when its status says so',
      "(offer_high IS NULL) <> (offer_status NOT IN ('computed', 'claimed_basis_unverified')) OR (offer_low IS NULL) <> (offer_high IS NULL)",
    ),
    never(
      'deals',
      'income_absent_as_said',
      'the underwriting is null exactly when what it needs is',
      `(noi_underwritten IS NULL) <> (units IS NULL OR market_rent_2br IS NULL) OR (gross_potential_rent IS NULL) <> (noi_underwritten IS NULL)
        OR (effective_gross_income IS NULL) <> (noi_underwritten IS NULL) OR (expense_ratio_pct IS NULL) <> (units IS NULL) OR (cap_rate_underwritten IS NULL) <> (noi_underwritten IS NULL OR list_price IS NULL)`,
    ),
    never(
      'deals',
      'price_absent_as_said',
      'what follows from the price alone is null exactly when the price is',
      `(loan_amount IS NULL) <> (list_price IS NULL) OR (monthly_payment IS NULL) <> (list_price IS NULL) OR (annual_debt_service IS NULL) <> (list_price IS NULL)
        OR (first_price IS NULL) <> (list_price IS NULL) OR (price_reduction_pct IS NULL) <> (list_price IS NULL)`,
    ),
    never(
      'deals',
      'scoring_absent_as_said',
      'what scores use is null exactly when the proxy does not fit or the property is no income property',
      `(noi_scoring IS NULL) <> (underwrite_reliability <> 'ok' OR coalesce(dscr_reason IN ('single_unit', 'not_income_property'), false))
        OR (cap_scoring_pct IS NULL) <> (noi_scoring IS NULL) OR (coverage_scoring IS NULL) <> (noi_scoring IS NULL)`,
    ),
    never(
      'deals',
      'distress_as_said',
      'distress scores exactly where a county record is matched',
      `(distress_status = 'matched') <> (json_array_length(distress_matches) > 0) OR (distress_score > 0) <> (distress_status = 'matched')`,
    ),
    // Nothing flatters
    never(
      'deals',
      'unreliable_scores_nothing',
      'where the proxy does not fit there are no yield or coverage points and every path is Pass',
      "underwrite_reliability <> 'ok' AND (deal_score_yield + deal_score_coverage > 0 OR rental_status <> 'Pass' OR wholesale_status <> 'Pass' OR creative_finance_status <> 'Pass')",
    ),
    never(
      'deals',
      'claims_never_lift',
      'the NOI that scores use is never above the underwriting',
      'noi_scoring > noi_underwritten',
    ),
    never(
      'deals',
      'rationales_agree',
      'a rationale has the status it explains',
      "rental_status <> (rental_rationale ->> 'status') OR wholesale_status <> (wholesale_rationale ->> 'status') OR creative_finance_status <> (creative_finance_rationale ->> 'status')",
    ),
    // Links and drift
    {
      name: 'deals.matches_exist',
      about: 'a county record that is matched, or a candidate, is one that is published',
      blocking: true,
      sql: `SELECT id, record FROM (
          SELECT deals.id, (found.value ->> 'id') AS record FROM deals, json_each(distress_matches) AS found
          UNION ALL SELECT deals.id, (found.value ->> 'id') FROM deals, json_each(distress_candidates) AS found)
        WHERE record NOT IN (SELECT id FROM signals UNION ALL SELECT id FROM auctions)`,
    },
    {
      name: 'deals.listing_exists',
      about: 'the standing listing is the latest version in listing_history',
      blocking: true,
      sql: `SELECT id, source, listing_id FROM deals WHERE NOT EXISTS
        (FROM listing_history h WHERE h.is_latest AND h.deal_id = deals.id AND h.source = deals.source AND h.listing_id = deals.listing_id)`,
    },
    {
      name: 'deals.versions_have_deals',
      about: 'every latest version of a listing belongs to a deal that is published',
      blocking: true,
      sql: 'SELECT source, listing_id, deal_id FROM listing_history WHERE is_latest AND deal_id NOT IN (SELECT id FROM deals)',
    },
    ...comesAndGoes('deals', "listing_status = 'active'", 'properties for sale', true),
  ],
  publish: { orderBy: ['deal_score DESC', 'id'] },
});

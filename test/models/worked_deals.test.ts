/** The six worked deals of the underwriting notes, to the cent, through the real SQL. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { build, uuid5, type Built, type GivenRow } from './given.ts';

/** What a site shows today, and what this service saw before. The rent is that of the ZIP itself. */
interface Example {
  readonly name: string;
  readonly listing: GivenRow;
  readonly rent: string;
  /** First price seen, where it was another. */
  readonly firstPrice?: string;
  readonly firstSeen?: string;
  readonly taxOwed?: string;
  readonly expected: GivenRow;
}

const OK = { underwrite_reliability: 'ok', underwrite_reason: null };

const EXAMPLES: readonly Example[] = [
  {
    name: '1 normal',
    rent: '1250.00',
    firstPrice: '747474.75',
    listing: { list_price: '740000.00', units: 8, year_built: 1974, cap_rate: '7.40' },
    expected: {
      ...OK,
      gross_potential_rent: '105600.00',
      effective_gross_income: '98208.00',
      expense_ratio_pct: '45.00',
      noi_underwritten: '54014.40',
      noi: '54760.00',
      noi_source: 'derived_from_advertised_cap',
      cap_rate: '7.40',
      cap_rate_underwritten: '7.30',
      cap_gap_pct: '0.10',
      loan_amount: '555000.00',
      monthly_payment: '3692.43',
      annual_debt_service: '44309.16',
      dscr: '1.24',
      dscr_status: 'computed',
      dscr_reason: null,
      noi_scoring: '54014.40',
      cap_scoring_pct: '7.30',
      coverage_scoring: '1.16',
      motivation_score: 6,
      distress_score: 0,
      rental_status: 'Warm',
      wholesale_status: 'Pass',
      creative_finance_status: 'Pass',
      deal_score_yield: 19,
      deal_score_coverage: 11,
      deal_score_motivation: 1,
      deal_score_distress: 0,
      deal_score: 31,
      confidence_score: '0.93',
      offer_status: 'computed',
      offer_low: '598000.00',
      offer_high: '675000.00',
      offer_binding: 'target_cap',
      ask_at_or_below_target_value: false,
      why_this_is_interesting:
        '7.30% HUD-underwritten cap and 1.24 DSCR at declared terms; 8 units at $92,500 per unit.',
    },
  },
  {
    name: '2 hidden upside',
    rent: '1150.00',
    firstPrice: '315789.47',
    firstSeen: '2026-08-23T12:00:00Z',
    taxOwed: '3750.00',
    listing: { list_price: '300000.00', units: 4, year_built: 1985, noi: '18000.00' },
    expected: {
      ...OK,
      gross_potential_rent: '48576.00',
      effective_gross_income: '45175.68',
      expense_ratio_pct: '42.00',
      noi_underwritten: '26201.89',
      noi: '18000.00',
      noi_source: 'stated',
      cap_rate: '6.00',
      cap_rate_source: 'derived_from_stated_noi',
      cap_rate_underwritten: '8.73',
      cap_gap_pct: '-2.73',
      loan_amount: '225000.00',
      monthly_payment: '1496.93',
      annual_debt_service: '17963.16',
      dscr: '1.00',
      dscr_status: 'computed',
      noi_scoring: '22100.95',
      cap_scoring_pct: '7.37',
      coverage_scoring: '1.16',
      motivation_score: 50,
      distress_score: 45,
      rental_status: 'Warm',
      wholesale_status: 'Pass',
      creative_finance_status: 'Hot',
      deal_score_yield: 20,
      deal_score_coverage: 11,
      deal_score_motivation: 10,
      deal_score_distress: 7,
      deal_score: 48,
      confidence_score: '0.85',
      offer_status: 'computed',
      offer_low: '245000.00',
      offer_high: '276000.00',
      why_this_is_interesting:
        'HUD-rent underwriting: 8.73% cap against 6.00% claimed (2.73 points of possible upside). County records: $3,750 of delinquent tax.',
    },
  },
  {
    name: '3 overclaim',
    rent: '1050.00',
    firstPrice: '1023377.15',
    listing: { list_price: '1020000.00', units: 12, year_built: 1925, cap_rate: '9.25' },
    expected: {
      ...OK,
      gross_potential_rent: '133056.00',
      effective_gross_income: '123742.08',
      expense_ratio_pct: '48.00',
      noi_underwritten: '64345.88',
      noi: '94350.00',
      noi_source: 'derived_from_advertised_cap',
      cap_rate_underwritten: '6.31',
      cap_gap_pct: '2.94',
      loan_amount: '765000.00',
      monthly_payment: '5089.56',
      annual_debt_service: '61074.72',
      dscr: '1.54',
      dscr_status: 'computed',
      noi_scoring: '64345.88',
      cap_scoring_pct: '6.31',
      coverage_scoring: '0.99',
      motivation_score: 2,
      rental_status: 'Pass',
      wholesale_status: 'Pass',
      creative_finance_status: 'Pass',
      deal_score_yield: 13,
      deal_score_coverage: 4,
      deal_score_motivation: 0,
      deal_score_distress: 0,
      deal_score: 17,
      confidence_score: '0.78',
      offer_low: '711000.00',
      offer_high: '804000.00',
      why_this_is_interesting: 'Broker claims 9.25% cap; HUD-rent underwriting supports 6.31% (2.94 points lower).',
    },
  },
  {
    name: '4 out of range',
    rent: '1800.00',
    firstSeen: '2026-08-23T12:00:00Z',
    listing: { list_price: '890000.00', units: 2, year_built: 2015, cap_rate: '5.10' },
    expected: {
      underwrite_reliability: 'proxy_out_of_range',
      underwrite_reason: 'price_per_unit_above_144x_monthly_2br_rent',
      gross_potential_rent: '38016.00',
      effective_gross_income: '35354.88',
      expense_ratio_pct: '39.00',
      noi_underwritten: '21566.48',
      noi: '45390.00',
      cap_rate_underwritten: '2.42',
      cap_gap_pct: '2.68',
      loan_amount: '667500.00',
      monthly_payment: '4440.89',
      annual_debt_service: '53290.68',
      dscr: '0.85',
      dscr_status: 'computed',
      noi_scoring: null,
      cap_scoring_pct: null,
      coverage_scoring: null,
      motivation_score: 20,
      rental_status: 'Pass',
      wholesale_status: 'Pass',
      creative_finance_status: 'Pass',
      deal_score_yield: 0,
      deal_score_coverage: 0,
      deal_score_motivation: 4,
      deal_score_distress: 0,
      deal_score: 4,
      confidence_score: '0.43',
      offer_status: 'claimed_basis_unverified',
      offer_low: '504500.00',
      offer_high: '567000.00',
      why_this_is_interesting:
        'HUD 2BR rent does not fit $445,000 per unit, so only the advertised 5.10% cap is available and it is unverified.',
    },
  },
  {
    name: '5 insufficient',
    rent: '1200.00',
    listing: { list_price: '425000.00' },
    expected: {
      underwrite_reliability: 'unknown',
      underwrite_reason: 'units_missing',
      noi_underwritten: null,
      cap_rate_underwritten: null,
      cap_gap_pct: null,
      noi: null,
      noi_source: null,
      dscr: null,
      dscr_status: 'insufficient_data',
      dscr_reason: 'noi_missing',
      motivation_score: 0,
      rental_status: 'Pass',
      wholesale_status: 'Pass',
      creative_finance_status: 'Pass',
      deal_score: 0,
      confidence_score: '0.20',
      offer_status: 'insufficient_data',
      offer_low: null,
      offer_high: null,
      why_this_is_interesting: 'Not enough data to underwrite: missing units.',
    },
  },
  {
    name: '6 not applicable',
    rent: '1100.00',
    firstPrice: '46666.67',
    firstSeen: '2026-05-25T12:00:00Z',
    listing: { list_price: '42000.00', units: 2, year_built: 1928 },
    expected: {
      underwrite_reliability: 'unknown',
      underwrite_reason: 'price_per_unit_below_24x_monthly_2br_rent',
      gross_potential_rent: '23232.00',
      effective_gross_income: '21605.76',
      expense_ratio_pct: '45.00',
      noi_underwritten: '11883.17',
      noi: '11883.17',
      noi_source: 'underwritten',
      cap_rate: null,
      cap_rate_underwritten: '28.29',
      cap_gap_pct: null,
      loan_amount: '31500.00',
      dscr: null,
      dscr_status: 'not_applicable',
      dscr_reason: 'loan_below_minimum',
      noi_scoring: null,
      motivation_score: 100,
      rental_status: 'Pass',
      wholesale_status: 'Pass',
      creative_finance_status: 'Pass',
      deal_score_yield: 0,
      deal_score_coverage: 0,
      deal_score_motivation: 20,
      deal_score_distress: 0,
      deal_score: 20,
      confidence_score: '0.45',
      offer_status: 'price_below_proxy_range',
      offer_low: null,
      offer_high: null,
    },
  },
];

const SITE = {
  source: 'heartland_multifamily',
  city: 'Cleveland',
  state: 'OH',
  zip: '44102',
  availability: 'for_sale',
  page_sha256: 'a'.repeat(64),
};
const street = (index: number): string => `${100 + index} Main Street`;
const idOf = (index: number): string => uuid5(`deal|${100 + index} MAIN ST|44102`);

const shown = ({ listing }: Example, index: number): GivenRow => ({
  ...SITE,
  listing_id: `L${index}`,
  listing_url: `https://site.example/L${index}`,
  source_url: `https://site.example/L${index}`,
  street: street(index),
  observed_at: '2026-11-21T09:00:00Z',
  ...listing,
});

const seenBefore = (example: Example, index: number): GivenRow => ({
  ...SITE,
  listing_id: `L${index}`,
  listing_url: `https://site.example/L${index}`,
  source_url: `https://site.example/L${index}`,
  street: street(index),
  deal_id: idOf(index),
  version: 1,
  is_latest: true,
  change: 'added',
  relisted: false,
  page_row: 0,
  ...example.listing,
  list_price: example.firstPrice ?? example.listing['list_price'],
  first_price: example.firstPrice ?? example.listing['list_price'],
  version_first_seen: example.firstSeen ?? '2026-11-20T09:00:00Z',
  version_last_seen: '2026-11-20T09:00:00Z',
  listing_first_seen: example.firstSeen ?? '2026-11-20T09:00:00Z',
});

const debt = ({ taxOwed }: Example, index: number): GivenRow[] =>
  taxOwed === undefined
    ? []
    : [
        {
          source: 'oh_cuyahoga_tax',
          source_url: 'https://tax.example/',
          county_fips: '39035',
          county: 'Cuyahoga County, OH',
          parcel_raw: `00${index}-01-001`,
          street: `${100 + index} MAIN ST`,
          city: 'CLEVELAND',
          zip: '44102',
          amount: taxOwed,
          observed_at: '2026-11-21T09:00:00Z',
          page_sha256: 'b'.repeat(64),
        },
      ];

describe('worked deals', () => {
  let built: Built;
  before(async () => {
    built = await build({
      staged_listing: EXAMPLES.map(shown),
      previous_listing_history: EXAMPLES.filter((e) => e.firstPrice !== undefined || e.firstSeen !== undefined).map(
        (e) => seenBefore(e, EXAMPLES.indexOf(e)),
      ),
      staged_tax_parcel: EXAMPLES.flatMap(debt),
      int_market_rents: EXAMPLES.map(({ rent }, i) => ({ id: idOf(i), market_rent_2br: rent, rent_basis: 'zip' })),
    });
  });
  after(() => built.close());

  for (const [index, example] of EXAMPLES.entries()) {
    it(`${example.name}: every figure is the one worked by hand`, async () => {
      const deal = await built.one('deals', `id = '${idOf(index)}'`);
      assert.deepEqual(Object.fromEntries(Object.keys(example.expected).map((k) => [k, deal[k]])), example.expected);
    });
  }

  it('breaks no audit', () => assert.deepEqual(built.broken, []));

  it('says why in each rationale, decimals as strings', async () => {
    const deal = await built.one('deals', `id = '${idOf(1)}'`);
    const creative = JSON.parse(String(deal['creative_finance_rationale'])) as {
      reason: string;
      thresholds: unknown;
      inputs: Record<string, unknown>;
    };
    assert.equal(creative.reason, 'meets_thresholds');
    assert.deepEqual(creative.thresholds, {
      hot_coverage: '1.15',
      hot_motivation_or_distress: '50',
      warm_coverage: '1.00',
      warm_motivation_or_distress: '25',
      market_coverage: '1.25',
    });
    assert.equal(creative.inputs['seller_coverage'], '1.27');
    assert.equal(creative.inputs['needed'], 'yes');
    const rental = JSON.parse(String((await built.one('deals', `id = '${idOf(3)}'`))['rental_rationale'])) as {
      reason: string;
    };
    assert.equal(rental.reason, 'price_per_unit_above_144x_monthly_2br_rent');
  });
});

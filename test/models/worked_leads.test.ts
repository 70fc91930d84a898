/** The worked leads A1-A4 and T1-T2 and the opening bids behind them, through the real SQL from staged rows on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { build, type Built, type GivenRow } from './given.ts';

const COUNTY = { county_fips: '39035', county: 'Cuyahoga County, OH' };
const verified = (daysAgo: number): string => `2026-11-${21 - daysAgo}T09:00:00Z`;

const sale = (key: string, row: GivenRow): GivenRow => ({
  ...COUNTY,
  source: 'oh_cuyahoga_sheriff',
  source_url: `https://sheriff.example/${key}`,
  page_sha256: 'a'.repeat(64),
  observed_at: verified(0),
  case_number: `CV${key}`,
  parcel_raw: `${key}-000`,
  street: `${key} ELM ST`,
  city: 'CLEVELAND',
  state: 'OH',
  zip: '44102',
  status: 'scheduled',
  ...row,
});
const parcel = (key: string, row: GivenRow): GivenRow => ({
  ...COUNTY,
  source: 'oh_cuyahoga_tax',
  source_url: `https://tax.example/${key}`,
  page_sha256: 'b'.repeat(64),
  observed_at: verified(0),
  parcel_raw: `${key}-000`,
  owner_name: 'OWNER',
  street: `${key} ELM ST`,
  city: 'CLEVELAND',
  zip: '44102',
  ...row,
});
const MORTGAGE = { sale_kind: 'mortgage_foreclosure', sale_round: 1 };

const SALES = [
  sale('101', { ...MORTGAGE, appraised_value: '150000.00', sale_date: '2026-12-07' }),
  sale('102', { ...MORTGAGE, appraised_value: '100001.00', sale_date: '2026-11-26', observed_at: verified(2) }),
  sale('103', {
    sale_kind: 'tax_foreclosure',
    sale_round: null,
    appraised_value: '95000.00',
    opening_bid: '12486.17',
    sale_date: '2027-01-05',
  }),
  sale('104', {
    sale_kind: 'mortgage_foreclosure',
    sale_round: 2,
    appraised_value: '90000.00',
    sale_date: '2026-12-18',
    observed_at: verified(5),
  }),
];
const PARCELS = [
  parcel('102', { amount: '900.00', mail_street: '9 FAR RD', mail_city: 'PARMA', mail_state: 'OH', mail_zip: '44129' }),
  parcel('201', {
    amount: '18450.00',
    county_value: '123000.00',
    years_delinquent: 4,
    mail_street: '1 GULF BLVD',
    mail_city: 'TAMPA',
    mail_state: 'FL',
    mail_zip: '33602',
  }),
  parcel('202', { amount: '2300.00', observed_at: verified(6) }),
];
const LISTINGS = [
  {
    source: 'heartland_multifamily',
    listing_id: 'L1',
    listing_url: 'https://site.example/L1',
    source_url: 'https://site.example/L1',
    page_sha256: 'c'.repeat(64),
    observed_at: verified(0),
    street: '202 Elm Street',
    city: 'Cleveland',
    state: 'OH',
    zip: '44102',
    list_price: '100000.00',
    units: 2,
    availability: 'for_sale',
  },
];

describe('worked leads', () => {
  let built: Built;
  before(async () => {
    built = await build({ staged_sheriff_sale: SALES, staged_tax_parcel: PARCELS, staged_listing: LISTINGS });
  });
  after(() => built.close());

  const partsOf = async (
    where: string,
  ): Promise<{ score: unknown; parts: number[]; lead: Record<string, unknown> }> => {
    const lead = await built.one('leads', where);
    return {
      score: lead['lead_score'],
      parts: Object.values(JSON.parse(String(lead['score_parts'])) as Record<string, number>),
      lead,
    };
  };

  it('A1: a first mortgage sale opens at two thirds of its appraisal', async () => {
    const { score, parts, lead } = await partsOf("lead_type = 'sheriff_sale_auction' AND case_number = 'CV101'");
    assert.deepEqual({ score, parts }, { score: 65, parts: [25, 20, 15, 0, 0, 5] });
    assert.equal(lead['opening_bid'], '100000.00');
    assert.equal(lead['opening_bid_basis'], 'two_thirds_of_appraisal');
    assert.equal(lead['opening_bid_derived'], true);
    assert.equal(lead['statute_ref'], 'ORC 2329.20');
  });

  it('A2: two thirds is rounded up, and a tax debt with mail elsewhere adds points', async () => {
    const { score, parts, lead } = await partsOf("lead_type = 'sheriff_sale_auction' AND case_number = 'CV102'");
    assert.deepEqual({ score, parts }, { score: 88, parts: [25, 20, 25, 10, 5, 3] });
    assert.equal(lead['opening_bid'], '66667.34');
    assert.equal(lead['verified_age_days'], 2);
  });

  it('A3: a tax sale opens at the published minimum', async () => {
    const { score, parts, lead } = await partsOf("case_number = 'CV103'");
    assert.deepEqual({ score, parts }, { score: 68, parts: [25, 30, 8, 0, 0, 5] });
    assert.deepEqual(
      [lead['opening_bid'], lead['opening_bid_basis'], lead['opening_bid_derived'], lead['appraisal_discount_pct']],
      ['12486.17', 'published_minimum', false, '86.86'],
    );
  });

  it('A4: a second sale has no minimum', async () => {
    const { score, parts, lead } = await partsOf("case_number = 'CV104'");
    assert.deepEqual({ score, parts }, { score: 71, parts: [25, 30, 15, 0, 0, 1] });
    assert.deepEqual([lead['opening_bid'], lead['opening_bid_basis']], [null, 'no_minimum_second_sale']);
  });

  it('T1: debt, value, years and an owner out of state', async () => {
    const { score, parts, lead } = await partsOf("lead_type = 'tax_delinquent' AND address = '201 ELM ST'");
    assert.deepEqual({ score, parts }, { score: 78, parts: [20, 18, 20, 10, 0, 10] });
    assert.equal(lead['amount_to_value_pct'], '15.00');
  });

  it('T2: what is unknown earns nothing and is said to be unknown', async () => {
    const { score, parts, lead } = await partsOf("lead_type = 'tax_delinquent' AND address = '202 ELM ST'");
    assert.deepEqual({ score, parts }, { score: 36, parts: [20, 2, 0, 0, 10, 4] });
    assert.deepEqual(JSON.parse(String(lead['score_rationale'])), {
      base: "+20 points, the parcel is on the county's tax delinquency list",
      amount_to_value: "+2 points, $2,300 is owed, and the county's value is unknown",
      years_delinquent: '+0 points, the years of delinquency are unknown',
      absentee_owner: '+0 points, where the owner gets mail is unknown',
      corroboration: '+10 points, it is listed for sale',
      freshness: '+4 points, verified 6 days ago',
    });
  });

  it('puts the debt on the listing of exactly that address', async () => {
    const deal = await built.one('deals');
    assert.equal(deal['distress_status'], 'matched');
    // 40 for the debt, 4 points for each of 2.30 percent of the price
    assert.equal(deal['distress_score'], 49);
  });

  it('breaks no audit', () => assert.deepEqual(built.broken, []));
});

describe('what is no lead', () => {
  const cases: readonly (readonly [name: string, row: GivenRow, leads: number])[] = [
    ['a sale as it should be is one', {}, 1],
    ['a sale that is past', { sale_date: '2026-11-20' }, 0],
    ['a cancelled sale', { status: 'cancelled' }, 0],
    ['a sale without a street address', { street: null }, 0],
    ['a sale at a street with the number 0', { street: '0 ELM ST' }, 0],
    ['a sale last verified eight days ago', { observed_at: '2026-11-13T09:00:00Z' }, 0],
    ['a sale read after midnight of the day of the run is one', { observed_at: '2026-11-22T00:04:00Z' }, 1],
  ];
  let built: Built;
  before(async () => {
    built = await build({
      staged_sheriff_sale: cases.map(([, row], i) =>
        sale(`${300 + i}`, { ...MORTGAGE, sale_date: '2026-12-07', appraised_value: '1000.00', ...row }),
      ),
    });
  });
  after(() => built.close());
  for (const [i, [name, , leads]] of cases.entries()) {
    it(name, async () => assert.equal((await built.rows('leads', `case_number = 'CV${300 + i}'`)).length, leads));
  }
});

describe('opening bids', () => {
  const cases: readonly (readonly [name: string, row: GivenRow, bid: readonly unknown[]])[] = [
    [
      'a published two thirds, rounded up to the dollar, is two thirds',
      { ...MORTGAGE, appraised_value: '200000.00', opening_bid: '133334.00' },
      ['133334.00', 'two_thirds_of_appraisal', false, false],
    ],
    [
      'a published figure wins though it is not two thirds, and is flagged',
      { ...MORTGAGE, appraised_value: '200000.00', opening_bid: '90000.00' },
      ['90000.00', 'published_minimum', false, true],
    ],
    [
      'a tax sale without a figure is not derived',
      { sale_kind: 'tax_foreclosure', appraised_value: '200000.00' },
      [null, 'unknown', false, false],
    ],
    [
      'an unknown kind is not derived',
      { sale_kind: 'unknown', appraised_value: '200000.00' },
      [null, 'unknown', false, false],
    ],
    [
      'a mortgage case never seen before is at its first sale',
      { sale_kind: 'mortgage_foreclosure', appraised_value: '100.00' },
      ['66.67', 'two_thirds_of_appraisal', true, false],
    ],
    [
      'a mortgage case seen on an earlier day, with no round told, has no known bid',
      { case_number: 'CV500', sale_kind: 'mortgage_foreclosure', appraised_value: '100.00' },
      [null, 'unknown', false, false],
    ],
    ['a first sale without an appraisal has no bid', { ...MORTGAGE }, [null, 'unknown', false, false]],
  ];
  let built: Built;
  before(async () => {
    built = await build({
      staged_sheriff_sale: [
        sale('500', {
          sale_kind: 'mortgage_foreclosure',
          appraised_value: '100.00',
          sale_date: '2026-11-20',
          status: 'unsold',
        }),
        ...cases.map(([, row], i) => sale(`${400 + i}`, { sale_date: '2026-12-07', ...row })),
      ],
    });
  });
  after(() => built.close());
  for (const [i, [name, , bid]] of cases.entries()) {
    it(name, async () => {
      const auction = await built.one('auctions', `parcel_id = '${400 + i}-000'`);
      assert.deepEqual(
        [
          auction['opening_bid'],
          auction['opening_bid_basis'],
          auction['opening_bid_derived'],
          auction['opening_bid_mismatch'],
        ],
        bid,
      );
    });
  }
  it('breaks no audit', () => assert.deepEqual(built.broken, []));
});

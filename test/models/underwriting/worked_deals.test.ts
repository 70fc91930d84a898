/** With uw-2026.1 the models give every figure of the deals that were computed by hand for it, to the cent. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { buildTables, rentOfAll, uuid5, type Built, type InputRow } from '../build_models.ts';
import { EXAMPLES, type Example } from './examples/worked_deals.ts';

const idOf = (index: number): string => uuid5(`deal|${100 + index} MAIN ST|44102`);

const listingOf = (index: number): InputRow => ({
  source: 'heartland_multifamily',
  listing_id: `L${index}`,
  listing_url: `https://site.example/L${index}`,
  source_url: `https://site.example/L${index}`,
  street: `${100 + index} Main Street`,
  city: 'Cleveland',
  state: 'OH',
  zip: '44102',
  availability: 'for_sale',
  page_sha256: 'a'.repeat(64),
});

const listing = (example: Example, index: number): InputRow => ({
  ...listingOf(index),
  observed_at: '2026-11-21T09:00:00Z',
  ...example.listing,
});

/** The listing in the snapshot before. */
function earlierVersion(example: Example, index: number): InputRow[] {
  if (example.firstPrice === undefined && example.firstSeen === undefined) return [];
  const firstPrice = example.firstPrice ?? example.listing['list_price'];
  const firstSeen = example.firstSeen ?? '2026-11-20T09:00:00Z';
  return [
    {
      ...listingOf(index),
      deal_id: idOf(index),
      version: 1,
      is_latest: true,
      change: 'added',
      relisted: false,
      page_row: 0,
      ...example.listing,
      list_price: firstPrice,
      first_price: firstPrice,
      version_first_seen: firstSeen,
      version_last_seen: '2026-11-20T09:00:00Z',
      listing_first_seen: firstSeen,
    },
  ];
}

function debt({ taxOwed }: Example, index: number): InputRow[] {
  if (taxOwed === undefined) return [];
  return [
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
}

interface Rationale {
  readonly reason: string;
  readonly thresholds: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, unknown>>;
}

describe('worked deals of uw-2026.1', () => {
  let built: Built;
  before(async () => {
    built = await buildTables(
      {
        declared_assumptions: currentAssumptions(new Map(), 'uw-2026.1').rows,
        staged_listing: EXAMPLES.map(listing),
        previous_listing_history: EXAMPLES.flatMap(earlierVersion),
        staged_tax_parcel: EXAMPLES.flatMap(debt),
        int_market_rents: EXAMPLES.map(({ rent }, i) => ({ id: idOf(i), ...rentOfAll(rent), rent_basis: 'zip' })),
      },
      ['deals'],
    );
  });
  after(() => built.close());
  const dealOf = (index: number): Promise<Record<string, unknown>> => built.one('deals', `id = '${idOf(index)}'`);

  for (const [index, { name, expected }] of EXAMPLES.entries()) {
    it(name, async () => {
      const deal = await dealOf(index);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((k) => [k, deal[k]])), expected);
    });
  }

  it('pass every audit', () => assert.deepEqual(built.failed, []));

  it('have rationales with decimals as strings', async () => {
    const creative = JSON.parse(String((await dealOf(1))['creative_finance_rationale'])) as Rationale;
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
    const rental = JSON.parse(String((await dealOf(3))['rental_rationale'])) as Rationale;
    assert.equal(rental.reason, 'price_per_unit_above_144x_monthly_2br_rent');
  });
});

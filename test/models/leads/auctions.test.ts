/** Sheriff sales: one row per sale from all pages that have it, with links between the sales of a case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, type Built } from '../build_models.ts';

type Row = Readonly<Record<string, unknown>>;

const SALE = {
  source: 'oh_stark_sheriff',
  county_fips: '39151',
  county: 'Stark County, OH',
  state: 'OH',
  case_number: '2026CV01001',
  parcel_raw: '0200101',
  street: '101 SAMPLE ST NW',
  zip: '44708',
  sale_date: '2026-12-07',
  status: 'scheduled',
  sale_kind: 'unknown',
  appraised_value: '90000.00',
  opening_bid: '60000.00',
  source_url: 'https://stark.sheriffsaleauction.ohio.gov/',
  observed_at: '2026-11-20T12:00:00Z',
  page_sha256: 'a'.repeat(64),
  page_row: 0,
};
const OWN_PAGE = {
  ...SALE,
  source: 'oh_stark_sheriff_page',
  case_number: '2026 CV 01001',
  parcel_raw: '02-00101',
  status: 'unknown',
  sale_kind: 'tax_foreclosure',
  appraised_value: null,
  opening_bid: null,
  defendant: 'SAMPLE, PAT',
  source_url: 'https://sheriffsales.starkcountyohio.gov/SearchSales.aspx',
  observed_at: '2026-11-21T12:00:00Z',
};

const auctions = async (...sales: readonly Row[]): Promise<Built> =>
  build({ staged_sheriff_sale: sales }, ({ name }) =>
    ['stg_parcel_rows', 'stg_addresses', 'stg_tax_parcels', 'stg_parcels', 'stg_sheriff_sales', 'auctions'].includes(
      name,
    ),
  );

test("a sale on the county's own page and on the auction site is one row with the values of both", async () => {
  const built = await auctions(SALE, OWN_PAGE);
  try {
    const row = await built.one('auctions');
    assert.deepEqual(built.failed, []);
    assert.deepEqual(
      [row['source'], row['sale_status'], row['opening_bid'], row['defendant'], row['party_status'], row['sale_kind']],
      ['oh_stark_sheriff', 'scheduled', '60000.00', 'SAMPLE, PAT', 'defendant_only', 'tax_foreclosure'],
    );
  } finally {
    built.close();
  }
});

test("a sale only on the county's own page has no status, and adds no values to other sales", async () => {
  const built = await auctions(OWN_PAGE, { ...SALE, case_number: '2026CV01002', parcel_raw: '0200102' });
  try {
    const rows = await built.rows('auctions');
    assert.deepEqual(
      rows.map((row) => [row['case_number'], row['sale_status'], row['defendant'], row['opening_bid_basis']]).sort(),
      [
        ['2026 CV 01001', 'unknown', 'SAMPLE, PAT', 'unknown'],
        ['2026CV01002', 'scheduled', null, 'published_minimum'],
      ],
    );
  } finally {
    built.close();
  }
});

test('the sales of a case are linked by day for each parcel', async () => {
  const built = await auctions(
    { ...SALE, status: 'postponed' },
    { ...SALE, case_number: '2026-CV-01001', sale_date: '2027-01-11' },
    { ...SALE, parcel_raw: '0200999', sale_date: '2027-01-04' },
    {
      ...SALE,
      county_fips: '39035',
      county: 'Cuyahoga County, OH',
      source: 'oh_cuyahoga_sheriff',
      sale_date: '2027-02-01',
    },
  );
  try {
    const rows = await built.rows('auctions');
    assert.deepEqual(rows.map((row) => [row['sale_date'], row['previous_sale_date'], row['next_sale_date']]).sort(), [
      ['2026-12-07', null, '2027-01-11'],
      ['2027-01-04', null, null],
      ['2027-01-11', '2026-12-07', null],
      ['2027-02-01', null, null],
    ]);
  } finally {
    built.close();
  }
});

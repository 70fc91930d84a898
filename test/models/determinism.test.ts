/** The order of the input rows does not change the tables. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadModels } from '../../models/index.ts';
import { build, type Inputs, type InputRow } from './build_models.ts';

const page = { page_sha256: 'a'.repeat(64), observed_at: '2026-11-21T09:00:00Z' };
const repeat = (n: number, make: (i: number) => InputRow): InputRow[] =>
  Array.from({ length: n }, (_, i) => ({ ...page, page_row: i, ...make(i) }));

/** Rows with many equal values: listings of one property, records at one address, equal amounts and dates. */
const ROWS: Inputs = {
  source_reads: ['site_a', 'site_b', 'county', 'sheriff', 'colorado_sos'].map((source) => ({
    source,
    family: source === 'county' ? 'tax' : 'sheriff',
    county_fips: '39035',
    last_good_at: '2026-11-21T09:00:00Z',
  })),
  staged_fmr_area: repeat(2, (i) => ({
    source: 'hud_fmr',
    source_url: 'https://hud.example/',
    fips: `390${35 + i}99999`,
    county_fips: '39035',
    hud_area_code: 'METRO17410N17460',
    hud_area_name: 'Cleveland',
    fmr_2: '1279.00',
    fiscal_year: 2026,
    effective_on: '2025-10-01',
    revision: 'original',
  })),
  staged_listing: repeat(60, (i) => ({
    source: i % 3 === 0 ? 'site_b' : 'site_a',
    listing_id: `L${i}`,
    source_url: 'https://site.example/',
    listing_url: 'https://site.example/',
    street: `${100 + (i % 20)} Linden Ave`,
    city: 'Cleveland',
    state: 'OH',
    zip: '44102',
    list_price: `${300_000 + (i % 7) * 1000}.00`,
    units: 4 + (i % 2),
    availability: i % 11 === 0 ? 'sold' : 'for_sale',
    cap_rate: i % 2 ? '7.00' : null,
  })),
  staged_tax_parcel: repeat(60, (i) => ({
    source: 'county',
    county_fips: '39035',
    county: 'Cuyahoga County, OH',
    source_url: 'https://county.example/',
    parcel_raw: `${100 + i}-${i % 2 ? '1' : '01'}`,
    street: `${100 + (i % 25)} LINDEN AVE`,
    zip: '44102',
    amount: '500.00',
  })),
  staged_sheriff_sale: repeat(40, (i) => ({
    source: 'sheriff',
    county_fips: '39035',
    county: 'Cuyahoga County, OH',
    source_url: 'https://sheriff.example/',
    case_number: `CV${i}`,
    parcel_raw: `${100 + (i % 20)}-1`,
    street: `${100 + (i % 20)} LINDEN AVE`,
    zip: '44102',
    state: 'OH',
    sale_date: `2026-12-0${1 + (i % 3)}`,
    status: 'scheduled',
    sale_kind: 'mortgage_foreclosure',
    sale_round: 1,
    appraised_value: '90000.00',
  })),
  staged_registration: repeat(50, (i) => ({
    source: 'colorado_sos',
    register: 'colorado_sos',
    document_number: `${i % 45}`,
    business_name_raw: `Business ${i % 45}`,
    filing_date: '2026-11-01',
    source_url: 'https://register.example/',
    agent_name: `Agent ${i % 3}`,
  })),
};

/** Every row of every published table. */
async function publish(inputs: Inputs): Promise<string> {
  const built = await build(inputs);
  try {
    assert.deepEqual(built.failed, []);
    const tables = (await loadModels()).filter((m) => m.contract.publish).map((m) => m.name);
    return JSON.stringify(await Promise.all(tables.map(async (t) => [t, await built.rows(t)])));
  } finally {
    built.close();
  }
}

const shuffled = (inputs: Inputs, step: number): Inputs =>
  Object.fromEntries(
    Object.entries(inputs).map(([table, rows]) => [
      table,
      rows
        .map((row, i) => ({ row, at: (i * step) % 61 }))
        .sort((a, b) => a.at - b.at)
        .map(({ row }) => row),
    ]),
  );

it('rows in another order give the same tables', async () => {
  const plain = await publish(ROWS);
  assert.ok(plain.length > 50_000);
  assert.equal(await publish(shuffled(ROWS, 17)), plain);
});

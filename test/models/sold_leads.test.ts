/** A sold lead is in no later snapshot, even if the id of its sale changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { build, uuid5, type InputRow } from './build_models.ts';

const COUNTY = { county_fips: '39035', county: 'Cuyahoga County, OH' };
const sale = (key: string, row: InputRow = {}): InputRow => ({
  ...COUNTY,
  source: 'oh_cuyahoga_sheriff',
  source_url: `https://sheriff.example/${key}`,
  page_sha256: 'a'.repeat(64),
  observed_at: '2026-11-21T09:00:00Z',
  case_number: `CV-${key}`,
  parcel_raw: `${key}-000`,
  street: `${key} ELM ST`,
  city: 'CLEVELAND',
  state: 'OH',
  zip: '44102',
  status: 'scheduled',
  sale_kind: 'mortgage_foreclosure',
  sale_round: 1,
  appraised_value: '90000.00',
  sale_date: '2026-12-07',
  ...row,
});
const parcel = (key: string): InputRow => ({
  ...COUNTY,
  source: 'oh_cuyahoga_tax',
  source_url: `https://tax.example/${key}`,
  page_sha256: 'b'.repeat(64),
  observed_at: '2026-11-21T09:00:00Z',
  parcel_raw: `${key}-000`,
  owner_name: 'OWNER',
  street: `${key} OAK ST`,
  city: 'CLEVELAND',
  zip: '44102',
  amount: '5000.00',
});
const byCase = (key: string): string => uuid5(`sheriff_sale_auction|39035|CV${key}`);
const byParcel = (key: string): string => uuid5(`sheriff_sale_auction|39035|00${key}000`);
const ofDebt = (key: string): string => uuid5(`tax_delinquent|39035|00${key}000`);

/** The models of leads. */
const NEEDED = [
  'stg_addresses',
  'stg_parcel_rows',
  'stg_sheriff_sales',
  'stg_tax_parcels',
  'stg_distress_records',
  'stg_parcels',
  'auctions',
  'int_earlier_signals',
  'int_layer_addresses',
  'int_tax_signals',
  'int_distress_signals',
  'signals',
  'int_condominiums',
  'int_property_records',
  'int_property_addresses',
  'int_record_keys',
  'int_property_groups',
  'property_keys',
  'int_sold_keys',
  'int_sold_records',
  'int_debts_of_sales',
  'int_record_pairs',
  'int_stacked_distress',
  'int_property_classes',
  'int_sale_classes',
  'int_auction_leads',
  'int_tax_leads',
  'leads',
];
const only = ({ name }: { readonly name: string }): boolean => NEEDED.includes(name);

const leadsWithout = async (
  sold: readonly string[],
  sales: readonly InputRow[],
  previous: readonly InputRow[] = [],
): Promise<string[]> => {
  const built = await build(
    {
      staged_sheriff_sale: sales,
      staged_tax_parcel: [parcel('201'), parcel('202')],
      sold_leads: sold.map((id) => ({ id })),
      int_properties: [],
      int_distress_matches: [],
      previous_auctions: previous,
    },
    only,
  );
  try {
    assert.deepEqual(built.failed, []);
    return (await built.rows('leads')).map((lead) => String(lead['id'])).sort();
  } finally {
    built.close();
  }
};

describe('a sold lead', () => {
  it('is left out; the others stay', async () => {
    const sales = [sale('101'), sale('102')];
    const all = [byParcel('101'), byParcel('102'), ofDebt('201'), ofDebt('202')].sort();
    assert.deepEqual(await leadsWithout([], sales), all);
    assert.deepEqual(
      await leadsWithout([byParcel('102'), ofDebt('201'), 'a lead of another day'], sales),
      [byParcel('101'), ofDebt('202')].sort(),
    );
  });

  it('sold by its case number stays sold when its parcel is published', async () => {
    const unknown = sale('101', { parcel_raw: null });
    assert.deepEqual(await leadsWithout([], [unknown]), [byCase('101'), ofDebt('201'), ofDebt('202')].sort());
    assert.deepEqual(await leadsWithout([byCase('101')], [sale('101')]), [ofDebt('201'), ofDebt('202')].sort());
  });

  it('sold by its parcel stays sold when the parcel is no longer published', async () => {
    const built = await build(
      { staged_sheriff_sale: [sale('101')], int_properties: [], int_distress_matches: [] },
      only,
    );
    const before = await built.rows('auctions');
    built.close();
    assert.deepEqual(
      await leadsWithout([byParcel('101')], [sale('101', { parcel_raw: null })], before),
      [ofDebt('201'), ofDebt('202')].sort(),
    );
  });

  it('does not remove another parcel of the same case', async () => {
    const [one, two] = [sale('101'), sale('102', { case_number: 'CV-101' })];
    assert.deepEqual(
      await leadsWithout([byParcel('101')], [one, two]),
      [byParcel('102'), ofDebt('201'), ofDebt('202')].sort(),
    );
  });
});

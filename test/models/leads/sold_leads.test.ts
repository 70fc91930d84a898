/** A sold lead is in no later snapshot, even if the id of its sale changes. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, debtRow, saleRow, uuid5, type InputRow } from '../build_models.ts';

const sale = (key: string, row: InputRow = {}): InputRow =>
  saleRow(`CV-${key}`, { parcel_raw: `${key}-000`, street: `${key} ELM ST`, city: 'CLEVELAND', ...row });
const parcel = (key: string): InputRow =>
  debtRow(`${key}-000`, { owner_name: 'OWNER', street: `${key} OAK ST`, city: 'CLEVELAND', zip: '44102' });
const byCase = (key: string): string => uuid5(`sheriff_sale_auction|39035|CV${key}`);
const byParcel = (key: string): string => uuid5(`sheriff_sale_auction|39035|00${key}000`);
const ofDebt = (key: string): string => uuid5(`tax_delinquent|39035|00${key}000`);

/** Ids of the leads, and rows of the auctions, of one day. Two parcels owe taxes; of 105 and 106 one case is heard. */
async function leadsOf(day: {
  readonly noParcel: string;
  readonly sold?: readonly string[];
  readonly before?: readonly InputRow[];
}): Promise<{ readonly leads: readonly string[]; readonly auctions: readonly InputRow[] }> {
  const sales = ['101', '102', '103', '104', '105'].map((key) =>
    sale(key, key === day.noParcel ? { parcel_raw: null } : {}),
  );
  using built = await buildTables(
    {
      staged_auction: [...sales, sale('106', { case_number: 'CV-105' })],
      staged_tax_parcel: [parcel('201'), parcel('202')],
      sold_leads: (day.sold ?? []).map((id) => ({ id })),
      previous_auctions: day.before ?? [],
    },
    ['leads', 'auctions'],
    LISTINGS,
  );
  assert.deepEqual(built.failed, []);
  const leads = (await built.rows('leads')).map((lead) => String(lead['id']));
  return { leads, auctions: await built.rows('auctions') };
}

describe('a sold lead', () => {
  const everySale = ['101', '102', '104', '105', '106'].map(byParcel).concat(byCase('103'));
  let unsold: readonly string[] = [];
  let left: readonly string[] = [];
  before(async () => {
    const first = await leadsOf({ noParcel: '103' });
    unsold = first.leads;
    const second = await leadsOf({
      noParcel: '104',
      sold: [byParcel('102'), ofDebt('201'), 'a lead of another day', byCase('103'), byParcel('104'), byParcel('105')],
      // Only this sale was read before.
      before: first.auctions.filter((auction) => auction['case_number'] === 'CV-104'),
    });
    left = second.leads;
  });

  it('is left out; the others stay', () => {
    assert.deepEqual([...unsold].sort(), [...everySale, ofDebt('201'), ofDebt('202')].sort());
    assert.deepEqual([...left].sort(), [byParcel('101'), byParcel('106'), ofDebt('202')].sort());
  });

  it('sold by its case number stays sold when its parcel is published', () =>
    assert.ok(!left.includes(byCase('103')) && !left.includes(byParcel('103'))));

  it('sold by its parcel stays sold when the parcel is no longer published', () =>
    assert.ok(!left.includes(byCase('104')) && !left.includes(byParcel('104'))));

  it('does not remove another parcel of the same case', () =>
    assert.ok(!left.includes(byParcel('105')) && left.includes(byParcel('106'))));
});

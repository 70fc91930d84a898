/** Which debts and sales are leads, and when they corroborate each other: from staged pages to published leads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, debtRow, saleRow, type Built, type InputRow } from '../build_models.ts';

const FRANKLIN = { county_fips: '39049', county: 'Franklin County, OH' };
const LICKING = { county_fips: '39089', county: 'Licking County, OH' };
const daysAgo = (days: number): string => `2026-11-${21 - days}T09:00:00Z`;
const placeOf = (house: number): InputRow => ({
  street: `${house} ELM ST`,
  zip: '44102',
  parcel_raw: `${house}-00-001`,
});
const debtAt = (house: number, row: InputRow): InputRow =>
  debtRow(`${house}-00-001`, {
    ...placeOf(house),
    amount: '5000.00',
    mail_street: '1 FAR RD',
    mail_state: 'FL',
    ...row,
  });
const saleAt = (house: number, row: InputRow): InputRow => saleRow(`CV${house}`, { ...placeOf(house), ...row });

/** Debts and sales at one house, and whether each lead cites the other; null if it is no lead. */
const PAIRS: readonly (readonly [title: string, debt: InputRow, sale: InputRow, expected: readonly unknown[]])[] = [
  ['a debt and a sale of one parcel', {}, {}, [15, 10]],
  ['a debt of seven days ago', { observed_at: daysAgo(7) }, {}, [15, 10]],
  ['a debt of eight days ago', { observed_at: daysAgo(8) }, {}, [null, 10]],
  ['a debt that was paid', { amount: '0.00' }, {}, [null, 0]],
  ['a sale that was called off', {}, { status: 'cancelled' }, [0, null]],
  ['a sale of yesterday', {}, { sale_date: '2026-11-20' }, [0, null]],
  ['a sale read eight days ago', {}, { observed_at: daysAgo(8) }, [15, null]],
  ['a sale at the address, without a parcel', {}, { parcel_raw: null }, [15, 10]],
  ['a sale at the address in another ZIP', {}, { parcel_raw: null, zip: '44107' }, [0, 0]],
  ['a sale at the address in another county', {}, { parcel_raw: null, ...FRANKLIN }, [0, 0]],
  ['a sale of the parcel number of another county', {}, { street: '1 FAR ST', ...LICKING }, [0, 0]],
];

/** A parcel with two sales, the later read first. */
const TWO_SALES = 900;

let built: Built;
before(async () => {
  built = await buildTables(
    {
      staged_tax_parcel: PAIRS.map(([, debt], i) => debtAt(100 + i, debt)),
      staged_sheriff_sale: [
        ...PAIRS.map(([, , sale], i) => saleAt(100 + i, sale)),
        saleAt(TWO_SALES, { case_number: 'CV1', sale_date: '2027-01-11' }),
        saleAt(TWO_SALES, { case_number: 'CV2', sale_date: '2026-12-14' }),
      ],
    },
    ['leads', 'signals', 'auctions'],
    LISTINGS,
  );
});
after(() => built.close());

/** Points of the corroboration of the lead of a debt or sale; null if it is no lead. */
async function corroborationOf(where: string): Promise<number | null> {
  const [lead, other] = await built.rows('leads', where);
  assert.equal(other, undefined);
  return lead ? ((JSON.parse(String(lead['score_parts'])) as Record<string, number>)['corroboration'] ?? null) : null;
}

describe('a debt and a sale', () => {
  it('pass every audit', () => assert.deepEqual(built.failed, []));

  for (const [i, [title, , , expected]] of PAIRS.entries())
    it(`${title}: points for corroboration ${expected.map((points) => points ?? 'no lead').join(', ')}`, async () => {
      const house = 100 + i;
      const debt = await corroborationOf(`signal_id IS NOT NULL AND parcel_id = '${house}-00-001'`);
      assert.deepEqual([debt, await corroborationOf(`case_number = 'CV${house}'`)], expected);
    });

  it('of one parcel form one lead each, and of two sales the next one', async () =>
    assert.deepEqual(await built.values('leads', `address = '${TWO_SALES} ELM ST'`, 'case_number', 'sale_date'), [
      'CV2',
      '2026-12-14',
    ]));
});

/** Other public records of a lead's property: which are of it, which count as one kind, and their points. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  buildTables,
  debtRow,
  listingRow,
  recordRow,
  saleRow,
  uuid5,
  builtBefore,
  type InputRow,
} from '../build_models.ts';

const FRANKLIN = { county_fips: '39049', county: 'Franklin County, OH' };
const LICKING = { county_fips: '39089', county: 'Licking County, OH' };
const TAX_SALE = { sale_kind: 'tax_foreclosure', sale_round: null };
const daysAgo = (days: number): string => `2026-11-${21 - days}T09:00:00Z`;
const homeOf = (house: number): InputRow => ({ street: `${house} ELM ST`, city: 'CLEVELAND', zip: '44102' });
const placeOf = (house: number): InputRow => ({ ...homeOf(house), parcel_raw: `${house}-00-001` });

/** A record at a house, by its kind, and the table of its kind. */
function recordAt(kind: string, house: number, row: InputRow = {}): readonly [table: string, row: InputRow] {
  if (kind === 'listing') return ['staged_listing', listingRow(`L${house}`, { ...homeOf(house), ...row })];
  if (kind === 'debt')
    return ['staged_tax_parcel', debtRow('', { ...placeOf(house), mail_street: '1 FAR RD', mail_state: 'FL', ...row })];
  if (kind.endsWith('sale')) return ['staged_auction', saleRow(`CV${house}`, { ...placeOf(house), ...row })];
  return ['staged_distress_record', recordRow(kind, `${kind}-${house}`, { ...placeOf(house), ...row })];
}

/** Independent kinds of distress, points for corroboration and for stacked distress; null: there is no lead. */
type Expected = readonly [kinds: number, corroboration: number, stacked: number] | null;

/** Records of one house, and what the leads of its debt and of its sale have. */
const CASES: readonly (readonly [
  title: string,
  records: Readonly<Record<string, InputRow>>,
  ofDebt: Expected,
  ofSale: Expected,
])[] = [
  ['a debt alone', { debt: {} }, [1, 0, 0], null],
  ['a debt and a sale of one parcel corroborate each other', { debt: {}, sale: {} }, [2, 15, 0], [2, 10, 0]],
  ['a debt read 7 days ago is a lead', { debt: { observed_at: daysAgo(7) }, sale: {} }, [2, 15, 0], [2, 10, 0]],
  ['a debt read 8 days ago is no lead', { debt: { observed_at: daysAgo(8) }, sale: {} }, null, [2, 10, 0]],
  ['a paid debt corroborates nothing', { debt: { amount: '0.00' }, sale: {} }, null, [1, 0, 0]],
  ['a canceled sale corroborates nothing', { debt: {}, sale: { status: 'cancelled' } }, [1, 0, 0], null],
  ['a past sale corroborates nothing', { debt: {}, sale: { sale_date: '2026-11-20' } }, [1, 0, 0], null],
  ['a sale read 8 days ago is no lead', { debt: {}, sale: { observed_at: daysAgo(8) } }, [2, 15, 0], null],
  ['a sale counts by its address alone', { debt: {}, sale: { parcel_raw: null } }, [2, 15, 0], [2, 10, 0]],
  ['another ZIP does not count', { debt: {}, sale: { parcel_raw: null, zip: '44107' } }, [1, 0, 0], [1, 0, 0]],
  ['another county does not count', { debt: {}, sale: { parcel_raw: null, ...FRANKLIN } }, [1, 0, 0], [1, 0, 0]],
  ['a number elsewhere does not count', { debt: {}, sale: { street: '1 FAR ST', ...LICKING } }, [1, 0, 0], [1, 0, 0]],
  ['a debt and its own tax foreclosure count once', { debt: {}, sale: TAX_SALE }, [1, 15, 0], [1, 10, 0]],
  ['a debt and a lien count once', { debt: {}, tax_lien: {} }, [1, 0, 0], null],
  ['a sale and the filing before it count once', { sale: {}, foreclosure_filing: {} }, null, [1, 0, 0]],
  ['a foreclosure filing corroborates a debt', { debt: {}, foreclosure_filing: {} }, [2, 0, 5], null],
  ['a filing adds nothing to its own sale', { debt: {}, sale: {}, foreclosure_filing: {} }, [2, 15, 0], [2, 10, 0]],
  ['a tax lien corroborates a sale', { sale: {}, tax_lien: {} }, null, [2, 0, 5]],
  ['a violation and its judgment count once', { debt: {}, code_violation: {}, blight_judgment: {} }, [2, 0, 5], null],
  ['a vacant and condemned building counts once', { debt: {}, vacant_building: {}, condemned: {} }, [2, 0, 8], null],
  ['a unit does not count', { debt: {}, condemned: { parcel_raw: null, street: '118 ELM ST # 2' } }, [1, 0, 0], null],
  ['a closed record corroborates nothing', { debt: {}, condemned: { record_state: 'closed' } }, [1, 0, 0], null],
  ['a listing is no distress', { debt: {}, listing: {} }, [1, 10, 0], null],
  ['four kinds add up', { debt: {}, foreclosure_filing: {}, code_violation: {}, condemned: {} }, [4, 0, 18], null],
];
const houseOf = (index: number): number => 98 + index;

/** A parcel with two sales, the later read first; and a house whose debt has the most points of each other part. */
const [TWO_SALES, AT_MOST] = [900, 7];
const DEBT_AT_MOST: InputRow = {
  amount: '90000.00',
  county_value: '180000.00',
  years_delinquent: 9,
  property_class: '2-FAMILY DWELLING',
  mail_street: '1 GULF BLVD',
  mail_city: 'TAMPA',
  mail_state: 'FL',
  mail_zip: '33602',
};

describe('corroboration of leads', () => {
  const built = builtBefore(async () => {
    const rows = [
      ...CASES.flatMap(([, records], i) =>
        Object.entries(records).map(([kind, row]) => recordAt(kind, houseOf(i), row)),
      ),
      recordAt('sale', TWO_SALES, { case_number: 'CV1', sale_date: '2027-01-11' }),
      recordAt('sale', TWO_SALES, { case_number: 'CV2', sale_date: '2026-12-14' }),
      recordAt('debt', AT_MOST, DEBT_AT_MOST),
      ...['sale', 'code_violation', 'condemned'].map((kind) => recordAt(kind, AT_MOST)),
    ];
    const tables = Map.groupBy(rows, ([table]) => table);
    const inputs = Object.fromEntries([...tables].map(([table, of]) => [table, of.map(([, row]) => row)]));
    return buildTables(inputs, ['leads', 'signals', 'auctions']);
  });

  const leadOf = async (where: string): Promise<Record<string, unknown> | undefined> => {
    const [lead, other] = await built.rows('leads', where);
    assert.equal(other, undefined);
    return lead;
  };
  const debtLead = (house: number) => leadOf(`signal_id IS NOT NULL AND parcel_id = '${house}-00-001'`);
  const pointsOf = (lead: Record<string, unknown> | undefined): Expected => {
    if (!lead) return null;
    const parts = JSON.parse(String(lead['score_parts'])) as Record<string, number>;
    return [Number(lead['signals_count']), parts['corroboration'] ?? -1, parts['stacked_distress'] ?? -1];
  };
  for (const [i, [title, , ofDebt, ofSale]] of CASES.entries())
    it(title, async () => {
      const leads = [await debtLead(houseOf(i)), await leadOf(`case_number = 'CV${houseOf(i)}'`)];
      assert.deepEqual(leads.map(pointsOf), [ofDebt, ofSale]);
    });

  it('the lead of a parcel with two sales is about the next sale', async () =>
    assert.equal((await leadOf(`parcel_id = '${TWO_SALES}-00-001'`))?.['case_number'], 'CV2'));

  it('a lead of four kinds cites each record, and names it in the rationale', async () => {
    const house = houseOf(CASES.length - 1);
    const lead = await debtLead(house);
    const idOf = (type: string): string => uuid5(`signal|${type}|39035|${type}-${house}|${house}00001`);
    const cited = JSON.parse(String(lead?.['corroboration'])) as Record<string, unknown>[];
    assert.deepEqual(
      cited.map(({ id, kind, counts_as }) => [id, kind, counts_as]),
      [
        [idOf('code_violation'), 'code_violation', 'code_case'],
        [idOf('condemned'), 'condemned', 'building'],
        [idOf('foreclosure_filing'), 'foreclosure_filing', 'foreclosure'],
      ],
    );
    const rationale = JSON.parse(String(lead?.['score_rationale'])) as Record<string, string>;
    assert.equal(
      rationale['stacked_distress'],
      `+18 points, public records of further kinds: condemned building condemned-${house}, code violation ` +
        `code_violation-${house}, foreclosure filing foreclosure_filing-${house}`,
    );
  });

  it('a debt with every part at its maximum scores 100 points, and no more', async () => {
    const lead = await debtLead(AT_MOST);
    assert.deepEqual([lead?.['lead_score'], ...(pointsOf(lead) ?? [])], [100, 4, 15, 0]);
  });
});

/** How a county record at an address matches a listing, and what it scores. test/identity has the spellings. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildTables, debtRow, listingRow, saleRow, type Built, type InputRow } from '../build_models.ts';

/** A listing, a county record and their match: exact, a candidate without points, or none. */
interface Case {
  readonly listing: readonly [street: string | null, zip: string];
  readonly record: readonly [street: string | null, zip: string | null, city?: string];
  readonly match:
    | 'address_exact'
    | 'address_range'
    | 'address_without_unit'
    | 'address_without_zip'
    | 'address_exact_place_unknown'
    | null;
}

const CASES: Readonly<Record<string, Case>> = {
  'other spelling': {
    listing: ['1200 N. Linden Avenue', '44102'],
    record: ['1200 NORTH LINDEN AVE', '44102'],
    match: 'address_exact',
  },
  'a house inside a range': {
    listing: ['1210-1214 Linden Ave', '44102'],
    record: ['1212 LINDEN AVE', '44102'],
    match: 'address_range',
  },
  'a condominium in the building': {
    listing: ['1240 Linden Ave', '44102'],
    record: ['1240 LINDEN AVE UNIT 3', '44102'],
    match: 'address_without_unit',
  },
  'another suffix': { listing: ['1252 Linden Ave', '44102'], record: ['1252 LINDEN ST', '44102'], match: null },
  'no ZIP printed': {
    listing: ['1260 Linden Ave', '44102'],
    record: ['1260 LINDEN AVE', null, 'CLEVELAND'],
    match: 'address_without_zip',
  },
  'no ZIP printed, another city': {
    listing: ['1268 Linden Ave', '44102'],
    record: ['1268 LINDEN AVE', null, 'EUCLID'],
    match: null,
  },
  'neither city nor ZIP printed': {
    listing: ['1270 Linden Ave', '44102'],
    record: ['1270 LINDEN AVE', null],
    match: 'address_exact_place_unknown',
  },
  'no ZIP printed, listing outside the county': {
    listing: ['1262 Linden Ave', '45202'],
    record: ['1262 LINDEN AVE', null],
    match: null,
  },
  'a hidden street': { listing: [null, '44104'], record: ['1266 LINDEN AVE', '44104'], match: null },
};

const listingOf = (id: string, [street, zip]: Case['listing']): InputRow => listingRow(id, { street, zip });
const debtOf = (parcel: string, [street, zip, city]: Case['record'], amount = '2000.00'): InputRow =>
  debtRow(parcel, { street, city, zip, amount });

/** Days to a sale, its day, and its points. */
const SALES = [
  [30, '2026-12-21', 60],
  [31, '2026-12-22', 40],
] as const;

describe('county records and listings', () => {
  let built: Built;
  before(async () => {
    const cases = Object.values(CASES);
    built = await buildTables(
      {
        source_reads: [
          {
            source: 'tax',
            family: 'tax',
            county_fips: '39035',
            covered_kinds: 'tax_delinquent',
            last_good_at: '2026-11-21T09:00:00Z',
          },
        ],
        staged_listing: [
          ...cases.map(({ listing }, i) => listingOf(`L${i}`, listing)),
          listingOf('SEVERAL', ['1290 Linden Ave', '44102']),
          ...SALES.map(([, day], i) => listingOf(day, [`${1310 + 10 * i} Linden Ave`, '44102'])),
        ],
        staged_sheriff_sale: SALES.map(([, sale_date], i) =>
          saleRow(`CV${i}`, { street: `${1310 + 10 * i} LINDEN AVE`, sale_date }),
        ),
        staged_tax_parcel: [
          ...cases.map(({ record }, i) => debtOf(`P${i}`, record)),
          ...['1000.00', '3000.00', '2000.00'].map((amount, i) =>
            debtOf(`S${i}`, ['1290 LINDEN AVE', '44102'], amount),
          ),
        ],
      },
      ['deals'],
    );
  });
  after(() => built.close());

  for (const [i, [name, { match }]] of Object.entries(CASES).entries()) {
    it(`${name}: ${match ?? 'no match'}`, async () => {
      const deal = await built.one('deals', `listing_id = 'L${i}'`);
      const bases = (column: string): string[] =>
        (JSON.parse(String(deal[column])) as { match_basis: string; parcel_id: string }[]).map(
          (m) => `${m.match_basis} ${m.parcel_id}`,
        );
      const exact = match === 'address_exact';
      assert.deepEqual(bases('distress_matches'), exact ? [`address_exact P${i}`] : []);
      assert.deepEqual(bases('distress_candidates'), match === null || exact ? [] : [`${match} P${i}`]);
      // 40 points for the debt and 4 for its 1.00 % of the price
      assert.equal(deal['distress_score'], exact ? 44 : 0);
    });
  }

  for (const [days, day, points] of SALES)
    it(`a sale in ${days} days earns ${points} points`, async () =>
      assert.deepEqual(await built.values('deals', `listing_id = '${day}'`, 'distress_score'), [points]));

  it('several debts of one property count with their sum', async () => {
    const deal = await built.one('deals', "listing_id = 'SEVERAL'");
    const debts = JSON.parse(String(deal['distress_matches'])) as { parcel_id: string; amount: string }[];
    assert.deepEqual(debts.map(({ amount }) => amount).sort(), ['1000.00', '2000.00', '3000.00']);
    // 40 points for a debt and 12 for the 3.00 % of the price that the three are
    assert.equal(deal['distress_score'], 52);
  });

  it('a county without records is not covered, which is not the same as no records found', async () => {
    const statusOf = async (name: string): Promise<unknown> =>
      (await built.one('deals', `listing_id = 'L${Object.keys(CASES).indexOf(name)}'`))['distress_status'];
    assert.equal(await statusOf('another suffix'), 'partly_covered');
    assert.equal(await statusOf('no ZIP printed, listing outside the county'), 'county_not_covered');
    assert.equal(await statusOf('a hidden street'), 'address_unknown');
    assert.equal(await statusOf('other spelling'), 'matched');
  });

  it('the tables pass every audit', () => assert.deepEqual(built.failed, []));
});

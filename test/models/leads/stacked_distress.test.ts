/** Leads of properties with several public records: what counts as independent, earns points, and is cited. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { thorough } from '../../thorough.ts';
import {
  buildTables,
  debtRow,
  listingRow,
  recordRow,
  saleRow,
  uuid5,
  type Built,
  type InputRow,
} from '../build_models.ts';

const homeOf = (house: number) => ({ street: `${house} ELM ST`, city: 'CLEVELAND', zip: '44102' });
const parcelOf = (house: number): string => `${house}-00-001`;
const debt = (house: number, row: InputRow = {}): InputRow =>
  debtRow(parcelOf(house), { ...homeOf(house), amount: '5000.00', ...row });
const sale = (house: number, row: InputRow = {}): InputRow =>
  saleRow(`CV${house}`, { ...homeOf(house), parcel_raw: parcelOf(house), sale_date: '2026-12-11', ...row });
const TAX_SALE = { sale_kind: 'tax_foreclosure', sale_round: null };
const record = (type: string, house: number, row: InputRow = {}): InputRow =>
  recordRow(type, `${type}-${house}`, {
    ...homeOf(house),
    parcel_raw: parcelOf(house),
    source_url: 'https://city.example/',
    ...row,
  });
const listing = (house: number): InputRow =>
  listingRow(`L${house}`, { ...homeOf(house), list_price: '100000.00', units: 2 });

interface Inputs {
  readonly staged_tax_parcel: InputRow[];
  readonly staged_sheriff_sale: InputRow[];
  readonly staged_distress_record: InputRow[];
  readonly staged_listing: InputRow[];
}

/** A kind of record that a random property may have, and how it adds to the inputs. */
const ADDS = {
  debt: (inputs, house) => inputs.staged_tax_parcel.push(debt(house)),
  foreclosure_sale: (inputs, house) => inputs.staged_sheriff_sale.push(sale(house)),
  tax_foreclosure: (inputs, house) =>
    inputs.staged_sheriff_sale.push(sale(house, { ...TAX_SALE, case_number: `T${house}` })),
  listing: (inputs, house) => inputs.staged_listing.push(listing(house)),
  foreclosure_filing: (inputs, house) => inputs.staged_distress_record.push(record('foreclosure_filing', house)),
  tax_lien: (inputs, house) => inputs.staged_distress_record.push(record('tax_lien', house)),
  code_violation: (inputs, house) => inputs.staged_distress_record.push(record('code_violation', house)),
  blight_judgment: (inputs, house) => inputs.staged_distress_record.push(record('blight_judgment', house)),
  vacant_building: (inputs, house) => inputs.staged_distress_record.push(record('vacant_building', house)),
  condemned: (inputs, house) => inputs.staged_distress_record.push(record('condemned', house)),
} satisfies Record<string, (inputs: Inputs, house: number) => number>;
type Kind = keyof typeof ADDS;
const KINDS = Object.keys(ADDS) as Kind[];

const empty = (): Inputs => ({
  staged_tax_parcel: [],
  staged_sheriff_sale: [],
  staged_distress_record: [],
  staged_listing: [],
});

type Lead = Record<string, unknown>;
interface Cited {
  readonly kind: string;
  readonly id: string;
  readonly match_basis: string;
  readonly source_url: string;
  readonly counts_as: string | null;
}
const citedBy = (lead: Lead): Cited[] => JSON.parse(String(lead['corroboration'])) as Cited[];
const stackedOf = (lead: Lead): [points: number, reason: string] => [
  (JSON.parse(String(lead['score_parts'])) as Record<string, number>)['stacked_distress'] ?? -1,
  (JSON.parse(String(lead['score_rationale'])) as Record<string, string>)['stacked_distress'] ?? '',
];

/** Properties by hand: records, and what each lead of theirs has. */
const CASES: readonly (readonly [title: string, kinds: readonly Kind[], ofDebt: Expected, ofSale: Expected])[] = [
  ['a debt alone', ['debt'], [1, 0], null],
  ['a sale alone', ['foreclosure_sale'], null, [1, 0]],
  ['a debt and a sale have the points that they had before', ['debt', 'foreclosure_sale'], [2, 0], [2, 0]],
  ['a debt and its own tax foreclosure are one debt', ['debt', 'tax_foreclosure'], [1, 0], [1, 0]],
  ['a debt and a lien are one debt', ['debt', 'tax_lien'], [1, 0], null],
  ['a sale and the filing before it are one foreclosure', ['foreclosure_sale', 'foreclosure_filing'], null, [1, 0]],
  ['a filing against an owner in debt', ['debt', 'foreclosure_filing'], [2, 5], null],
  ['the filing of a sale of a debt', ['debt', 'foreclosure_sale', 'foreclosure_filing'], [2, 0], [2, 0]],
  ['a lien on a house for sale', ['foreclosure_sale', 'tax_lien'], null, [2, 5]],
  ['a violation and the judgment on it are one case', ['debt', 'code_violation', 'blight_judgment'], [2, 5], null],
  ['a vacant and condemned building is one building', ['debt', 'vacant_building', 'condemned'], [2, 8], null],
  ['four kinds', ['debt', 'foreclosure_filing', 'code_violation', 'condemned'], [4, 18], null],
  ['a listing is no distress', ['debt', 'listing'], [1, 0], null],
];
type Expected = readonly [signals: number, points: number] | null;

/** Near misses: another record at or near house 900 + n, of a debt there. */
const NEAR: readonly (readonly [title: string, row: InputRow, basis: string | null])[] = [
  ['the parcel, at an address that is printed otherwise', { street: '1 OTHER ST' }, 'parcel_exact'],
  ['the address, without a parcel number', { parcel_raw: null }, 'address_exact'],
  ['the address, with a placeholder for the parcel', { parcel_raw: '000-00-000' }, 'address_exact'],
  ['the address without a ZIP', { parcel_raw: null, zip: null }, null],
  ['the address in another ZIP', { parcel_raw: null, zip: '44107' }, null],
  ['a unit at the address', { parcel_raw: null, unit: '2' }, null],
  ['a range of numbers with the house', { parcel_raw: null, range: true }, null],
  ['a condominium parcel printed at the address', { parcel_raw: '555-55-001C' }, null],
  ['a closed record', { record_state: 'closed' }, null],
  ['the parcel number of another county', { county_fips: '39049', county: 'Franklin County, OH', street: null }, null],
];
const nearHouse = (n: number): number => 901 + 10 * n;

/** House with a debt that has the most points of each part, and with further records. */
const AT_MOST = 7;
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

/** Random sets of records, each with and without one record more. */
const RANDOM = fc.sample(fc.record({ kinds: fc.subarray(KINDS, { minLength: 3 }), added: fc.constantFrom(...KINDS) }), {
  numRuns: thorough(150, 400),
  seed: 20_261_123,
});
const [WITHOUT, WITH] = [2000, 5000];

describe('stacked distress', () => {
  let built: Built;
  const leads = new Map<string, Lead>();
  const leadOf = (type: 'debt' | 'sale', house: number): Lead | undefined => leads.get(`${type} ${house}`);
  before(async () => {
    const inputs = empty();
    const add = (house: number, kinds: readonly Kind[]): void => {
      for (const kind of kinds) ADDS[kind](inputs, house);
    };
    for (const [i, [, kinds]] of CASES.entries()) add(101 + i, kinds);
    for (const [n, [, { unit, range, ...row }]] of NEAR.entries()) {
      const house = nearHouse(n);
      inputs.staged_tax_parcel.push(debt(house));
      const number = range === true ? `${house}-${house + 2}` : String(house);
      const street = `${number} ELM ST${unit === undefined ? '' : ` # ${String(unit)}`}`;
      inputs.staged_distress_record.push(record('condemned', house, { street, ...row }));
    }
    add(AT_MOST, ['foreclosure_sale', 'code_violation', 'condemned']);
    inputs.staged_tax_parcel.push(debt(AT_MOST, DEBT_AT_MOST));
    for (const [i, { kinds, added }] of RANDOM.entries()) {
      add(
        WITHOUT + i,
        kinds.filter((kind) => kind !== added),
      );
      add(WITH + i, [...new Set([...kinds, added])]);
    }
    built = await buildTables({ ...inputs }, ['leads', 'signals', 'auctions']);
    for (const lead of await built.rows('leads')) {
      const house = Number(/^\d+/.exec(String(lead['address']))?.[0]);
      leads.set(`${lead['lead_type'] === 'tax_delinquent' ? 'debt' : 'sale'} ${house}`, lead);
    }
  });
  after(() => built.close());

  it('passes every audit', () => assert.deepEqual(built.failed, []));

  for (const [i, [title, , ofDebt, ofSale]] of CASES.entries())
    it(title, () => {
      for (const [type, expected] of [
        ['debt', ofDebt],
        ['sale', ofSale],
      ] as const) {
        const lead = leadOf(type, 101 + i);
        const found = lead === undefined ? null : [lead['signals_count'], stackedOf(lead)[0]];
        assert.deepEqual(found, expected, type);
      }
    });

  for (const [n, [title, , basis]] of NEAR.entries())
    it(`${title}: ${basis ?? 'no match'}`, () => {
      const lead = leadOf('debt', nearHouse(n)) ?? assert.fail('there is no lead');
      assert.deepEqual(
        citedBy(lead).map(({ match_basis }) => match_basis),
        basis === null ? [] : [basis],
      );
      assert.equal(lead['signals_count'], basis === null ? 1 : 2);
      assert.equal(stackedOf(lead)[0], basis === null ? 0 : 8);
    });

  it('cites each record with its page, and names it in the rationale', () => {
    const house = 101 + CASES.findIndex(([title]) => title === 'four kinds');
    const lead = leadOf('debt', house) ?? assert.fail('there is no lead');
    const idOf = (type: string): string => uuid5(`signal|${type}|39035|${type}-${house}|${house}00001`);
    assert.deepEqual(
      citedBy(lead).map(({ kind, source_url, counts_as }) => [kind, source_url, counts_as]),
      [
        ['code_violation', 'https://city.example/', 'code_case'],
        ['condemned', 'https://city.example/', 'building'],
        ['foreclosure_filing', 'https://city.example/', 'foreclosure'],
      ],
    );
    assert.deepEqual(
      citedBy(lead).map(({ id }) => id),
      ['code_violation', 'condemned', 'foreclosure_filing'].map(idOf),
    );
    assert.deepEqual(JSON.parse(String(lead['signal_kinds'])), [
      'code_violation',
      'condemned',
      'foreclosure_filing',
      'tax_delinquent',
    ]);
    assert.equal(
      stackedOf(lead)[1],
      `+18 points, public records of further kinds: condemned building condemned-${house}, code violation ` +
        `code_violation-${house}, foreclosure filing foreclosure_filing-${house}`,
    );
  });

  it('an added record never lowers a score, and a score is at most 100', () => {
    let compared = 0;
    for (const [i, { kinds, added }] of RANDOM.entries())
      for (const type of ['debt', 'sale'] as const) {
        const [fewer, more] = [leadOf(type, WITHOUT + i), leadOf(type, WITH + i)];
        // The next sale of the parcel may be another one.
        if (!fewer || !more || fewer['case_number'] !== more['case_number']) continue;
        const [before_, after_] = [Number(fewer['lead_score']), Number(more['lead_score'])];
        assert.ok(after_ >= before_ && after_ <= 100, `${type}: ${before_} to ${after_}: ${added} to ${kinds.join()}`);
        assert.ok(Number(more['signals_count']) >= Number(fewer['signals_count']), `${added} to ${kinds.join()}`);
        compared += 1;
      }
    assert.ok(compared > 0.375 * RANDOM.length, `${compared} leads`);
  });

  it('with every part of a score at its maximum, the score is capped at 100, and says so', () => {
    const lead = leadOf('debt', AT_MOST) ?? assert.fail('there is no lead');
    assert.equal(lead['lead_score'], 100);
    assert.equal(lead['signals_count'], 4);
    assert.deepEqual(stackedOf(lead), [
      0,
      `+0 points, public records of further kinds: condemned building condemned-${AT_MOST}, code violation ` +
        `code_violation-${AT_MOST} (13 points, but a score is at most 100)`,
    ]);
  });
});

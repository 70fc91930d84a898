/** Which public records are of one property, and which are not. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, debtRow, recordRow, saleRow, builtBefore, type InputRow } from '../build_models.ts';

const sale = (number: string, given: InputRow): InputRow => saleRow(number, { sale_kind: 'tax_foreclosure', ...given });

/** Each record with what the test calls it. */
const DEBTS: Readonly<Record<string, InputRow>> = {
  elm: debtRow('201-01-001', { street: '10 ELM ST', city: 'CLEVELAND', zip: '44102' }),
  'elm in another town': debtRow('301-01-001', { street: '10 ELM ST', city: 'LAKEWOOD', zip: '44107' }),
  birch: debtRow('207-01-001', { street: '40 BIRCH ST', city: 'CLEVELAND', zip: '44102' }),
  oak: debtRow('202-01-001', { street: '20 OAK ST', city: 'CLEVELAND', zip: '44102' }),
  'a lot of the mill': debtRow('203-01-001', { street: '30 MILL ST', zip: '44102' }),
  'another lot of the mill': debtRow('203-01-002', { street: '30 MILL ST', zip: '44102' }),
  'vacant land': debtRow('204-01-001', { street: '0 MAIN ST', zip: '44102' }),
  'other vacant land': debtRow('204-01-002', { street: '0 MAIN ST', zip: '44102' }),
  'no place': debtRow('205-01-001', { street: '50 PINE ST' }),
  'a condominium': debtRow('206-01-001A', { street: '60 HIGH ST', zip: '44102' }),
};
const SALES: Readonly<Record<string, InputRow>> = {
  'the parcel of elm at another address': sale('CV-1', { parcel_raw: '20101001', street: '12 ELM ST' }),
  'the address of elm in its city': sale('CV-30', { street: '10 ELM ST', city: 'CLEVELAND', zip: null }),
  'the address of elm in another city': sale('CV-31', { street: '10 ELM ST', city: 'PARMA', zip: null }),
  'the address of birch in its county': sale('CV-32', { street: '40 BIRCH ST', zip: null }),
  'the address of elm alone': sale('CV-2', { street: '10 Elm Street', city: 'Cleveland' }),
  'the parcel of oak spelled in another way': sale('CV-3', {
    parcel_raw: 'R 202 01 1',
    street: '20 OAK ST',
    zip: '44102',
  }),
  'the address of the mill': sale('CV-4', { street: '30 MILL ST' }),
  'an unknown parcel': sale('CV-5', { parcel_raw: 'UNKNOWN', street: '70 ASH ST' }),
  'another unknown parcel': sale('CV-6', { parcel_raw: 'UNKNOWN', street: '72 ASH ST' }),
  'the address without a place, with its ZIP': sale('CV-7', { street: '50 PINE ST' }),
  'a case before its parcel was known': sale('CV-8', { street: '80 BAY ST', zip: '44102', sale_date: '2026-12-01' }),
  'the same case with its parcel': sale('CV-8', { parcel_raw: '208-01-001', street: '82 BAY ST' }),
  'a parcel of a large case': sale('CV-9', { parcel_raw: '209-01-001', street: '90 LAKE ST' }),
  'another parcel of the large case': sale('CV-9', { parcel_raw: '209-01-002', street: '94 LAKE ST' }),
  'the building of the condominium': sale('CV-10', { street: '60 HIGH ST' }),
  ...Object.fromEntries(
    [1, 2, 3].map((n) => [
      `placeholder ${n}`,
      sale(`CV-2${n}`, { parcel_raw: '999-99-999', street: `${n}00 ROSE ST` }),
    ]),
  ),
};

/** Code cases. They join the property of a debt or sale, and decide nothing about which of those are one. */
const code = (number: string, given: InputRow): InputRow =>
  recordRow('code_violation', number, { zip: '44102', ...given });
const CASES: Readonly<Record<string, InputRow>> = {
  ...Object.fromEntries(
    [1, 2, 3].map((n) => [
      `case ${n} of the parcel of elm`,
      code(`E${n}`, { parcel_raw: '201-01-001', street: `${n} OTHER ST` }),
    ]),
  ),
  ...Object.fromEntries(
    [1, 2, 3].map((n) => [
      `apartment ${n} of bay`,
      code(`B${n}`, { parcel_raw: '208-01-001', street: `84 BAY ST APT ${n}` }),
    ]),
  ),
  'a case at pine': code('P1', { parcel_raw: '205-01-001', street: '50 PINE ST' }),
  'a case of another parcel at pine': code('P2', { parcel_raw: '205-01-009', street: '50 PINE ST' }),
  'a case of a placeholder': code('X1', { parcel_raw: '999-99-999', street: '5 NOWHERE ST' }),
  'a case alone': code('A1', { street: '6 NOWHERE ST' }),
};

describe('records of one property', () => {
  const keys = new Map<string, ReadonlySet<string>>();
  const built = builtBefore(async () => {
    const named = (rows: Readonly<Record<string, InputRow>>): InputRow[] =>
      Object.entries(rows).map(([name, record]) => ({ ...record, source_url: name }));
    return buildTables(
      { staged_tax_parcel: named(DEBTS), staged_auction: named(SALES), staged_distress_record: named(CASES) },
      ['property_keys', 'signals', 'auctions'],
      LISTINGS,
    );
  });
  before(async () => {
    const found = Map.groupBy(await built.rows('property_keys'), (r) => r['record_id']);
    for (const record of [...(await built.rows('signals')), ...(await built.rows('auctions'))]) {
      const own = (found.get(record['id']) ?? []).map((r) => String(r['property_key']));
      keys.set(String(record['source_url']), new Set(own));
    }
  });
  const share = (one: string, other: string): boolean =>
    !(keys.get(one) ?? assert.fail(one)).isDisjointFrom(keys.get(other) ?? assert.fail(other));

  for (const [one, other] of [
    ['elm', 'the parcel of elm at another address'],
    ['elm', 'the address of elm alone'],
    // Both are of elm, though they have nothing in common.
    ['the parcel of elm at another address', 'the address of elm alone'],
    ['elm', 'the address of elm in its city'],
    ['birch', 'the address of birch in its county'],
    ['oak', 'the parcel of oak spelled in another way'],
    ['no place', 'the address without a place, with its ZIP'],
    ['a case before its parcel was known', 'the same case with its parcel'],
    ['apartment 1 of bay', 'the same case with its parcel'],
    ['a case at pine', 'no place'],
  ] as const)
    it(`share a key: ${one}, ${other}`, () => {
      assert.ok(share(one, other), JSON.stringify([[...(keys.get(one) ?? [])], [...(keys.get(other) ?? [])]]));
    });

  for (const [one, other] of [
    ['elm', 'elm in another town'],
    ['elm', 'the address of elm in another city'],
    ['elm in another town', 'the address of elm in its city'],
    ['a lot of the mill', 'another lot of the mill'],
    ['a lot of the mill', 'the address of the mill'],
    ['vacant land', 'other vacant land'],
    ['an unknown parcel', 'another unknown parcel'],
    ['a parcel of a large case', 'another parcel of the large case'],
    ['a condominium', 'the building of the condominium'],
    ['placeholder 1', 'placeholder 2'],
    ['placeholder 2', 'placeholder 3'],
    ['case 1 of the parcel of elm', 'elm'],
    ['a case of a placeholder', 'placeholder 1'],
    ['a case alone', 'a case of a placeholder'],
  ] as const)
    it(`share no key: ${one}, ${other}`, () => {
      assert.ok(!share(one, other), JSON.stringify([...(keys.get(one) ?? [])]));
    });

  it('each have a key, even without a parcel, case and address', () => {
    assert.equal(keys.size, Object.keys({ ...DEBTS, ...SALES, ...CASES }).length);
    for (const [name, own] of keys) assert.ok(own.size > 0, name);
  });
});

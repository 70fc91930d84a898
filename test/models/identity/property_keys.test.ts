/** Which public records are of one property, and which are not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { build, type Built, type InputRow } from '../build_models.ts';

const COUNTY = { county_fips: '39035', county: 'Cuyahoga County, OH' };
const READ = { page_sha256: 'a'.repeat(64), observed_at: '2026-11-21T09:00:00Z' };
let row = 0;
const sale = (case_number: string, given: InputRow): InputRow => ({
  ...COUNTY,
  ...READ,
  source: 'oh_cuyahoga_sheriff',
  source_url: 'https://sheriff.example/',
  page_row: (row += 1),
  case_number,
  state: 'OH',
  status: 'scheduled',
  sale_kind: 'tax_foreclosure',
  appraised_value: '90000.00',
  sale_date: '2026-12-07',
  ...given,
});
const debt = (parcel_raw: string, given: InputRow): InputRow => ({
  ...COUNTY,
  ...READ,
  source: 'oh_cuyahoga_tax',
  source_url: 'https://tax.example/',
  page_row: (row += 1),
  parcel_raw,
  amount: '5000.00',
  ...given,
});

/** The models of property_keys. */
const NEEDED = [
  'stg_addresses',
  'stg_parcel_rows',
  'stg_sheriff_sales',
  'stg_tax_parcels',
  'stg_distress_records',
  'stg_parcels',
  'auctions',
  'int_property_classes',
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
];

/** Each record with what the test calls it. */
const DEBTS: Readonly<Record<string, InputRow>> = {
  elm: debt('201-01-001', { street: '10 ELM ST', city: 'CLEVELAND', zip: '44102' }),
  'elm in another town': debt('301-01-001', { street: '10 ELM ST', city: 'LAKEWOOD', zip: '44107' }),
  oak: debt('202-01-001', { street: '20 OAK ST', city: 'CLEVELAND', zip: '44102' }),
  'a lot of the mill': debt('203-01-001', { street: '30 MILL ST', zip: '44102' }),
  'another lot of the mill': debt('203-01-002', { street: '30 MILL ST', zip: '44102' }),
  'vacant land': debt('204-01-001', { street: '0 MAIN ST', zip: '44102' }),
  'other vacant land': debt('204-01-002', { street: '0 MAIN ST', zip: '44102' }),
  'no place': debt('205-01-001', { street: '50 PINE ST' }),
  'a condominium': debt('206-01-001A', { street: '60 HIGH ST', zip: '44102' }),
};
const SALES: Readonly<Record<string, InputRow>> = {
  'the parcel of elm at another address': sale('CV-1', { parcel_raw: '20101001', street: '12 ELM ST', zip: '44102' }),
  'the address of elm alone': sale('CV-2', { street: '10 Elm Street', city: 'Cleveland', zip: '44102' }),
  'the parcel of oak spelled in another way': sale('CV-3', {
    parcel_raw: 'R 202 01 1',
    street: '20 OAK ST',
    zip: '44102',
  }),
  'the address of the mill': sale('CV-4', { street: '30 MILL ST', zip: '44102' }),
  'an unknown parcel': sale('CV-5', { parcel_raw: 'UNKNOWN', street: '70 ASH ST', zip: '44102' }),
  'another unknown parcel': sale('CV-6', { parcel_raw: 'UNKNOWN', street: '72 ASH ST', zip: '44102' }),
  'the address without a place, with its ZIP': sale('CV-7', { street: '50 PINE ST', zip: '44102' }),
  'a case before its parcel was known': sale('CV-8', { street: '80 BAY ST', zip: '44102', sale_date: '2026-12-01' }),
  'the same case with its parcel': sale('CV-8', { parcel_raw: '208-01-001', street: '82 BAY ST', zip: '44102' }),
  'a parcel of a large case': sale('CV-9', { parcel_raw: '209-01-001', street: '90 LAKE ST', zip: '44102' }),
  'another parcel of the large case': sale('CV-9', { parcel_raw: '209-01-002', street: '94 LAKE ST', zip: '44102' }),
  'the building of the condominium': sale('CV-10', { street: '60 HIGH ST', zip: '44102' }),
  ...Object.fromEntries(
    [1, 2, 3].map((n) => [
      `placeholder ${n}`,
      sale(`CV-2${n}`, { parcel_raw: '999-99-999', street: `${n}00 ROSE ST`, zip: '44102' }),
    ]),
  ),
};

/** Code cases. They join the property of a debt or sale, and decide nothing about which of those are one. */
const code = (record_number: string, given: InputRow): InputRow => ({
  ...COUNTY,
  ...READ,
  source: 'oh_cleveland_code',
  source_url: 'https://code.example/',
  page_row: (row += 1),
  signal_type: 'code_violation',
  record_number,
  record_state: 'open',
  zip: '44102',
  ...given,
});
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
  let built: Built;
  const keys = new Map<string, ReadonlySet<string>>();
  before(async () => {
    built = await build(
      {
        staged_tax_parcel: Object.values(DEBTS),
        staged_sheriff_sale: Object.values(SALES),
        staged_distress_record: Object.values(CASES),
        int_properties: [],
        int_distress_matches: [],
        leads: [],
      },
      ({ name }) => NEEDED.includes(name),
    );
    const names = new Map(Object.entries({ ...DEBTS, ...SALES, ...CASES }).map(([name, r]) => [r['page_row'], name]));
    const found = Map.groupBy(await built.rows('property_keys'), (r) => r['record_id']);
    for (const record of [...(await built.rows('signals')), ...(await built.rows('auctions'))]) {
      const own = (found.get(record['id']) ?? []).map((r) => String(r['property_key']));
      keys.set(names.get(Number(record['page_row'])) ?? '', new Set(own));
    }
  });
  after(() => {
    built.close();
  });
  const share = (one: string, other: string): boolean =>
    !(keys.get(one) ?? assert.fail(one)).isDisjointFrom(keys.get(other) ?? assert.fail(other));

  it('pass the audits of the models', () => {
    assert.deepEqual(built.failed, []);
    assert.equal(keys.size, Object.keys({ ...DEBTS, ...SALES, ...CASES }).length);
  });

  for (const [one, other] of [
    ['elm', 'the parcel of elm at another address'],
    ['elm', 'the address of elm alone'],
    // Both are of elm, though they have nothing in common.
    ['the parcel of elm at another address', 'the address of elm alone'],
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

  it('have a key each, even without parcel, case and address', () => {
    for (const [name, own] of keys) assert.ok(own.size > 0, name);
  });
});

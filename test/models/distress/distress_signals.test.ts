/** Signals of every kind. What becomes of them on later days: ../history/history.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildTables, debtRow, recordRow, uuid5, builtBefore, type InputRow } from '../build_models.ts';

const CITY = { county_fips: '55079', county: 'Milwaukee County, WI' };
const record = (type: string, number: string, given: InputRow = {}): InputRow =>
  recordRow(type, number, { ...CITY, source: 'records', ...given });
const debt = (parcel: string, amount: string | null): InputRow => debtRow(parcel, { ...CITY, amount });
const layer = (parcel_raw: string, street: string): InputRow => ({
  ...CITY,
  source: 'layer',
  parcel_raw,
  street,
  city: 'MILWAUKEE',
  zip: '53206',
  county_value: '80000.00',
});
const idOf = (type: string, number: string, parcelKey = ''): string =>
  uuid5(`signal|${type}|55079|${number}|${parcelKey}`);
const ofDebt = (parcelKey: string): string => uuid5(`signal|tax_delinquent|55079|${parcelKey}`);
const OLD = { record_state: 'unknown', filed_on: '2012-05-01' };

const RECORDS = [
  record('tax_lien', 'L1', { parcel_raw: '001-0001-000', amount: '4000.00', amount_basis: 'lien', tax_year: 2024 }),
  record('vacant_building', 'V1', { parcel_raw: '001-0001-000', street: '1 OAK ST' }),
  record('blight_judgment', 'B1', { parcel_raw: 'UNKNOWN', amount: '250.00', amount_basis: 'balance_due' }),
  record('blight_judgment', 'B2', { amount: '0.00', amount_basis: 'balance_due' }),
  record('code_violation', 'C1', { street: '2 OAK ST', zip: '53206', record_state: 'closed', state_raw: 'COMPLIED' }),
  record('code_violation', 'C2', {
    street: '3 OAK ST',
    zip: '53206-1234',
    record_state: 'unknown',
    filed_on: '2026-10-01',
    mail_street: '3 Oak Street',
    mail_state: 'wi',
    mail_zip: '53206',
  }),
  record('foreclosure_filing', 'F1', OLD),
  record('foreclosure_filing', 'F2', { ...OLD, last_activity_on: '2026-03-02' }),
  record('foreclosure_filing', 'F3', { filed_on: '2012-05-01' }),
  record('code_violation', 'C3', { parcel_raw: '001-0003-000' }),
  // The same number of another kind, and of another parcel
  record('condemned', 'C3', { parcel_raw: '001-0003-000' }),
  record('condemned', 'C3', { parcel_raw: '001-0004-000' }),
  record('code_violation', 'SAME', {
    parcel_raw: '001-0005-000',
    observed_at: '2026-11-20T09:00:00Z',
    description: 'old',
  }),
  record('code_violation', 'SAME', { parcel_raw: '0010005000', source: 'other_records', description: 'new' }),
];
const DEBTS = [debt('001-0001-000', '5000.00'), debt('001-0002-000', null)];
const LAYER = [layer('0010001000', '1 ELM ST'), layer('0010003000', '9 ELM ST')];
const INPUTS = { staged_tax_parcel: DEBTS, staged_distress_record: RECORDS, staged_parcel: LAYER };
const LIEN = idOf('tax_lien', 'L1', '0010001000');

const IN_FORCE = { signal_state: 'listed', state_reason: 'on_the_list' };
const OF_LAYER = { address: '1 ELM ST', address_basis: 'parcel_layer', zip: '53206' };

/** A title, the id of a signal, and columns of it. */
const TODAY: readonly (readonly [string, string, InputRow])[] = [
  [
    'a lien has its amount and the place and value of its parcel',
    LIEN,
    {
      ...IN_FORCE,
      ...OF_LAYER,
      city: 'MILWAUKEE',
      county_value: '80000.00',
      amount_to_value_pct: '5.00',
      amount_basis: 'lien',
      tax_year: 2024,
      months_delinquent: null,
    },
  ],
  [
    'a record keeps its own street',
    idOf('vacant_building', 'V1', '0010001000'),
    { address: '1 OAK ST', address_basis: 'record', city: 'MILWAUKEE' },
  ],
  [
    'a placeholder is no parcel',
    idOf('blight_judgment', 'B1'),
    { address: null, county_value: null, address_status: 'pending_parcel_lookup', parcel_id: null },
  ],
  [
    'a case has the owner and the dates of its record',
    idOf('code_violation', 'C2'),
    {
      zip: '53206',
      filed_on: '2026-10-01',
      owner_location: 'at_property',
      amount_basis: null,
      years_basis: 'not_applicable',
      signal_state: 'listed',
    },
  ],
  [
    'a tax debt keeps what it is',
    ofDebt('0010001000'),
    { ...OF_LAYER, record_number: null, amount_basis: 'net', years_basis: 'unknown', tax_year: null },
  ],
  ['a debt without an amount has no basis', ofDebt('0010002000'), { amount_basis: null }],
  [
    'a record that its publisher closed is removed',
    idOf('code_violation', 'C1'),
    { signal_state: 'removed', state_reason: 'closed_by_publisher', state_since: '2026-11-21' },
  ],
  ['one number is two kinds', idOf('condemned', 'C3', '0010003000'), { record_number: 'C3' }],
  ['and two parcels', idOf('condemned', 'C3', '0010004000'), { parcel_key: '0010004000' }],
  ['one record of two sources is the newer', idOf('code_violation', 'SAME', '0010005000'), { description: 'new' }],
];

describe('signals of several kinds', () => {
  const built = builtBefore(() => buildTables(INPUTS, ['signals']));
  for (const [title, id, columns] of TODAY)
    it(title, async () => {
      const row = await built.one('signals', `id = '${id}'`);
      assert.deepEqual(Object.fromEntries(Object.keys(columns).map((column) => [column, row[column]])), columns);
    });
  it('are one row per kind, county, record number and parcel, and pass every audit', async () => {
    assert.equal((await built.rows('signals')).length, DEBTS.length + RECORDS.length - 1);
    assert.deepEqual(built.failed, []);
  });
});

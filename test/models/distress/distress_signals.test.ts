/** Signals of every kind: the records of today, and those that their publisher no longer shows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { buildTables, debtRow, recordRow, uuid5, type Built, type InputRow } from '../build_models.ts';

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
  record('foreclosure_filing', 'F1', { record_state: 'unknown', filed_on: '2012-05-01' }),
  record('foreclosure_filing', 'F2', {
    record_state: 'unknown',
    filed_on: '2012-05-01',
    last_activity_on: '2026-03-02',
  }),
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
const DEBTS = [debt('001-0001-000', '5000.00'), debt('001-0002-000', null), debt('001-0006-000', '10.00')];
const LAYER = [layer('0010001000', '1 ELM ST'), layer('0010003000', '9 ELM ST')];

describe('signals of several kinds', () => {
  let built: Built;
  const one = (id: string): Promise<InputRow> => built.one('signals', `id = '${id}'`);
  const of = (id: string, ...names: string[]): Promise<unknown[]> => built.values('signals', `id = '${id}'`, ...names);
  before(async () => {
    built = await buildTables({ staged_tax_parcel: DEBTS, staged_distress_record: RECORDS, staged_parcel: LAYER }, [
      'signals',
    ]);
  });
  after(() => built.close());

  it('are one row per kind, county, record number and parcel', async () => {
    assert.equal((await built.rows('signals')).length, DEBTS.length + RECORDS.length - 1);
    assert.equal((await one(idOf('condemned', 'C3', '0010003000')))['record_number'], 'C3');
    assert.equal((await one(idOf('condemned', 'C3', '0010004000')))['parcel_key'], '0010004000');
    assert.equal((await one(idOf('code_violation', 'SAME', '0010005000')))['description'], 'new');
  });

  it('are ordered by amount, those without one last', async () => {
    const rows = await built.connection.runAndReadAll('SELECT amount::VARCHAR, id FROM signals');
    const [amounts, ids] = [0, 1].map((i) => rows.getRows().map((cells) => cells[i]));
    assert.deepEqual(amounts?.slice(0, 5), ['5000.00', '4000.00', '250.00', '10.00', '0.00']);
    assert.ok(amounts?.slice(5).every((amount) => amount === null));
    assert.deepEqual(ids?.slice(5), ids?.slice(5).sort());
  });

  it('keep what a tax delinquency is', async () => {
    const id = uuid5('signal|tax_delinquent|55079|0010001000');
    const shown = ['record_number', 'amount_basis', 'years_basis', 'address', 'address_basis', 'tax_year'];
    assert.deepEqual(await of(id, ...shown), [null, 'net', 'unknown', '1 ELM ST', 'parcel_layer', null]);
    assert.equal((await one(uuid5('signal|tax_delinquent|55079|0010002000')))['amount_basis'], null);
  });

  it('have the street of the record, else that of its parcel in the layer', async () => {
    const shown = ['address', 'address_basis', 'city', 'zip', 'county_value', 'address_status'];
    const lien = await of(idOf('tax_lien', 'L1', '0010001000'), ...shown, 'amount_to_value_pct');
    assert.deepEqual(lien, ['1 ELM ST', 'parcel_layer', 'MILWAUKEE', '53206', '80000.00', 'available', '5.00']);
    const vacant = await of(idOf('vacant_building', 'V1', '0010001000'), ...shown);
    assert.deepEqual(vacant, ['1 OAK ST', 'record', 'MILWAUKEE', '53206', '80000.00', 'available']);
    const unknown = await of(idOf('blight_judgment', 'B1'), ...shown, 'parcel_id');
    assert.deepEqual(unknown, [null, null, null, null, null, 'pending_parcel_lookup', null]);
  });

  it('have the owner, the amount and the dates of the record', async () => {
    const shown = ['zip', 'filed_on', 'owner_location', 'amount', 'amount_basis', 'years_basis', 'signal_state'];
    assert.deepEqual(await of(idOf('code_violation', 'C2'), ...shown), [
      '53206',
      '2026-10-01',
      'at_property',
      null,
      null,
      'not_applicable',
      'listed',
    ]);
    const lien = await of(idOf('tax_lien', 'L1', '0010001000'), 'amount_basis', 'tax_year', 'months_delinquent');
    assert.deepEqual(lien, ['lien', 2024, null]);
  });

  it('are removed once their publisher closes them, or nothing is owed', async () => {
    const state = ['signal_state', 'state_reason'];
    assert.deepEqual(await of(idOf('code_violation', 'C1'), ...state), ['removed', 'closed_by_publisher']);
    assert.deepEqual(await of(idOf('blight_judgment', 'B2'), ...state), ['removed', 'balance_zero']);
    assert.deepEqual(await of(idOf('tax_lien', 'L1', '0010001000'), ...state), ['listed', 'on_the_list']);
  });

  it('are unknown if nothing says that an old record is in force', async () => {
    const state = ['signal_state', 'state_reason'];
    assert.deepEqual(await of(idOf('foreclosure_filing', 'F1'), ...state), ['unknown', 'no_recent_event']);
    assert.deepEqual(await of(idOf('foreclosure_filing', 'F2'), ...state), ['listed', 'on_the_list']);
    assert.deepEqual(await of(idOf('foreclosure_filing', 'F3'), ...state), ['listed', 'on_the_list']);
  });

  it('pass every audit', () => assert.deepEqual(built.failed, []));
});

describe('signals of the day after', () => {
  const DAY = { as_of: '2026-11-22', observed_at: '2026-11-22T12:00:00Z', assumption_set_id: currentAssumptions().id };
  const OLDER = ['amount_basis', 'record_number', 'filed_on', 'state_raw', 'description', 'plaintiff', 'tax_year'];
  let built: Built;
  const of = (id: string, ...names: string[]): Promise<unknown[]> => built.values('signals', `id = '${id}'`, ...names);
  before(async () => {
    const first = await buildTables(
      { staged_tax_parcel: DEBTS, staged_distress_record: RECORDS, staged_parcel: LAYER },
      ['signals'],
    );
    // A snapshot older than these fields has tax delinquencies only
    const previous = (await first.rows('signals')).map((signal) =>
      signal['parcel_key'] === '0010006000'
        ? { ...signal, ...Object.fromEntries(OLDER.map((name) => [name, null])) }
        : signal,
    );
    first.close();
    const again = (given: InputRow): InputRow => ({ ...given, observed_at: '2026-11-22T09:00:00Z' });
    built = await buildTables(
      {
        run: [DAY],
        source_reads: ['records', 'tax'].map((source) => ({ source, last_good_at: '2026-11-22T09:00:00Z' })),
        previous_signals: previous,
        staged_tax_parcel: DEBTS.slice(0, 2).map(again),
        staged_distress_record: [
          ...RECORDS.slice(0, 1).map(again),
          again({ ...RECORDS[1], record_state: 'closed' }),
          again({ ...RECORDS[6], street: '3 OAK ST' }),
        ],
      },
      ['signals'],
    );
  });
  after(() => built.close());
  const state = ['signal_state', 'state_reason', 'state_since', 'last_seen', 'first_seen'];
  const seen = (day: string): string => `${day} 09:00:00`;

  it('state when each was first seen, and since when it has its state', async () => {
    assert.deepEqual(await of(idOf('tax_lien', 'L1', '0010001000'), ...state), [
      'listed',
      'on_the_list',
      '2026-11-21',
      seen('2026-11-22'),
      seen('2026-11-21'),
    ]);
    assert.deepEqual(await of(idOf('vacant_building', 'V1', '0010001000'), ...state), [
      'removed',
      'closed_by_publisher',
      '2026-11-22',
      seen('2026-11-22'),
      seen('2026-11-21'),
    ]);
  });

  it('keep a record that its publisher no longer shows, and say why', async () => {
    assert.deepEqual(await of(idOf('code_violation', 'C2'), ...state.slice(0, 3)), [
      'removed',
      'not_on_latest_list',
      '2026-11-22',
    ]);
    assert.deepEqual(await of(idOf('code_violation', 'C1'), ...state.slice(0, 3)), [
      'removed',
      'closed_by_publisher',
      '2026-11-21',
    ]);
    assert.deepEqual(await of(idOf('code_violation', 'SAME', '0010005000'), ...state.slice(0, 3)), [
      'unknown',
      'source_not_read',
      '2026-11-22',
    ]);
    assert.equal((await built.rows('signals')).length, DEBTS.length + RECORDS.length - 1);
  });

  it('keep an address that the parcel layer gave once', async () => {
    const shown = ['address', 'address_basis', 'zip'];
    assert.deepEqual(await of(idOf('tax_lien', 'L1', '0010001000'), ...shown), ['1 ELM ST', 'parcel_layer', '53206']);
  });

  it('read a snapshot that lacks the fields of other kinds', async () => {
    const shown = ['signal_state', 'amount', 'amount_basis', 'record_number'];
    const id = uuid5('signal|tax_delinquent|55079|0010006000');
    assert.deepEqual(await of(id, ...shown), ['removed', '10.00', 'net', null]);
  });

  it('pass every audit', () => assert.deepEqual(built.failed, []));
});

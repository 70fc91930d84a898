/** Years of delinquency from a year of certification, and the place of a parcel from list, layer or owner's mail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, CUYAHOGA, debtRow, builtBefore, type InputRow } from '../build_models.ts';

const HAMILTON = { county_fips: '39061', county: 'Hamilton County, OH' };
const debt = (number: string, more: InputRow = {}): InputRow => debtRow(number, { ...HAMILTON, ...more });
const parcel = (parcel_raw: string, more: InputRow = {}): InputRow => ({
  source: 'map',
  ...HAMILTON,
  parcel_raw,
  ...more,
});
const MAIL = { mail_street: '3 Roll St', mail_city: 'CLEVES', mail_state: 'OH', mail_zip: '45002' };
const NORWOOD = { city: 'NORWOOD', city_is_municipality: true, zip: '45212' };
const columnsOf = (names: string, values: readonly unknown[]): InputRow =>
  Object.fromEntries(names.split(' ').map((name, i) => [name, values[i]]));
const place = (...values: readonly unknown[]): InputRow =>
  columnsOf('address address_basis address_status has_address county_value property_class', values);
const city = (...values: readonly unknown[]): InputRow =>
  columnsOf('city city_basis zip zip_basis address_basis', values);

/** By parcel key: the number on the list, its row, the row of the county's layer, and columns of the signal. */
const SIGNALS: Readonly<Record<string, readonly [raw: string, InputRow, InputRow | null, expected: InputRow]>> = {
  // A future year of certification never counts
  '003': ['003', { certified_year: 2027 }, null, { years_delinquent: null, years_basis: 'unknown' }],
  // The layer of the county fills what the list lacks, in any format of the number
  '0540004012300': [
    '054-0004-0123-00',
    {},
    { street: '1418 VINE ST', zip: '45202', county_value: '120000.00', property_class: '520' },
    { ...place('1418 VINE ST', 'parcel_layer', 'available', true, '120000.00', '520'), zip: '45202' },
  ],
  '0540004012400': [
    '054-0004-0124-00',
    { street: '9 OWN LIST ST', county_value: '7.00', property_class: '510' },
    { street: '12 MAP ST', county_value: '8.00', property_class: '401' },
    place('9 OWN LIST ST', 'tax_list', 'available', true, '7.00', '510'),
  ],
  '0540004012500': [
    '054-0004-0125-00',
    {},
    { street: 'GLENWAY AVE' },
    place('GLENWAY AVE', 'parcel_layer', 'no_house_number', false, null, null),
  ],
  '0540004012600': [
    '054-0004-0126-00',
    {},
    { county_value: '50.00' },
    place(null, null, 'pending_parcel_lookup', false, '50.00', null),
  ],
  // City and ZIP of the roll, of the list, of the owner's mail to the same street, or of none
  '0550001000100': [
    '0550001000100',
    { street: '1 ROLL ST' },
    NORWOOD,
    city('NORWOOD', 'municipality', '45212', 'published', 'tax_list'),
  ],
  '0550001000200': [
    '0550001000200',
    { street: '2 ROLL ST', city: 'CINCINNATI' },
    NORWOOD,
    city('CINCINNATI', 'published', '45212', 'published', 'tax_list'),
  ],
  '0550001000300': [
    '0550001000300',
    { street: '3 ROLL ST', ...MAIL },
    null,
    city('CLEVES', 'owner_mail', '45002', 'owner_mail', 'tax_list'),
  ],
  '0550001000400': [
    '0550001000400',
    { street: '4 ROLL ST' },
    { city: ' ', city_is_municipality: true },
    city(null, null, null, null, 'tax_list'),
  ],
  // A lot is found by the start of its number if the list has one parcel of it, and the layer no parcel of its own
  '0590001002300': ['0590001002300', {}, null, { address: '23 LOT ST', address_basis: 'parcel_layer' }],
  '0590001002400': ['0590001002400', {}, null, { address: null, address_basis: null }],
  '0590001002490': ['0590001002490', {}, null, { address: null, address_basis: null }],
  '0590001002500': [
    '0590001002500',
    {},
    { is_lot: false, street: '25 WHOLE ST' },
    { address: '25 WHOLE ST', address_basis: 'parcel_layer' },
  ],
};
const LOTS = ['23', '24', '25'].map((lot) => parcel(`059000100${lot}`, { is_lot: true, street: `${lot} LOT ST` }));

describe('the signal of a tax debt', () => {
  const built = builtBefore(async () => {
    const rows = Object.entries(SIGNALS);
    return buildTables(
      {
        staged_tax_parcel: [...rows.map(([, [raw, row]]) => debt(raw, row)), debt('0540004012300', CUYAHOGA)],
        staged_parcel: [...rows.flatMap(([key, [, , row]]) => (row ? [parcel(key, row)] : [])), ...LOTS],
      },
      ['signals', 'leads'],
      LISTINGS,
    );
  });

  for (const [key, [, , , expected]] of Object.entries(SIGNALS))
    it(`${key} has ${JSON.stringify(expected)}`, async () => {
      const row = await built.one('signals', `parcel_key = '${key}' AND county_fips = '39061'`);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]])), expected);
    });

  it('with an address of the layer is a lead, and one of another county has no address', async () => {
    assert.equal((await built.rows('leads', "parcel_key = '0540004012300'")).length, 1);
    assert.deepEqual(await built.values('signals', "county_fips = '39035'", 'address'), [null]);
  });
});

it('a tax debt keeps its place if the roll later omits the parcel, unless its street changes', async () => {
  const keys = ['0550001000100', '0550001000200', '0550001000300'] as const;
  const debts = (streets: readonly string[], mail: InputRow): InputRow[] =>
    keys.map((key, i) => debt(key, { street: streets[i], ...(i === 2 ? mail : {}) }));
  using first = await buildTables(
    {
      staged_tax_parcel: debts(['1 ROLL ST', '2 ROLL ST', '3 ROLL ST'], MAIL),
      staged_parcel: keys.slice(0, 2).map((key) => parcel(key, NORWOOD)),
    },
    ['signals'],
  );
  const previous_signals = await first.rows('signals');
  using second = await buildTables(
    { staged_tax_parcel: debts(['1 ROLL ST', '22 ROLL ST', '3 ROLL ST'], {}), previous_signals },
    ['signals'],
  );
  const placeOf = (key: string) => second.values('signals', `parcel_key = '${key}'`, 'city', 'zip', 'zip_basis');
  const places = await Promise.all(keys.map(placeOf));
  assert.deepEqual(second.failed, []);
  // The owner's mail no longer comes to the third
  assert.deepEqual(places, [
    ['NORWOOD', '45212', 'published'],
    [null, null, null],
    [null, null, null],
  ]);
});

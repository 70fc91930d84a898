/** Years of delinquency from a year of certification, and the address of a parcel from the county's layer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LISTINGS } from '../../pipelines/some_tables.ts';
import { buildTables, CUYAHOGA, debtRow, type Built, type InputRow, uuid5 } from '../build_models.ts';

const HAMILTON = { county_fips: '39061', county: 'Hamilton County, OH' };
const debt = (number: string, more: InputRow = {}): InputRow => debtRow(number, { ...HAMILTON, ...more });
const parcel = (parcel_raw: string, more: InputRow = {}): InputRow => ({
  source: 'map',
  ...HAMILTON,
  parcel_raw,
  ...more,
});

describe('the place of a signal', () => {
  it('stays if the roll omits the parcel on another day, unless its street changes', async () => {
    const keys = ['0550001000100', '0550001000200', '0550001000300'];
    const [roll, moved, mailed] = keys;
    const mail = { mail_street: '3 Roll St', mail_city: 'CLEVES', mail_state: 'OH', mail_zip: '45002' };
    const debts = (movedTo: string, ofMail: InputRow): InputRow[] => [
      debt(String(roll), { street: '1 ROLL ST' }),
      debt(String(moved), { street: movedTo }),
      debt(String(mailed), { street: '3 ROLL ST', ...ofMail }),
    ];
    const first = await buildTables(
      {
        staged_tax_parcel: debts('2 ROLL ST', mail),
        staged_parcel: keys
          .slice(0, 2)
          .map((key) => parcel(key, { city: 'NORWOOD', city_is_municipality: true, zip: '45212' })),
      },
      ['signals'],
    );
    // An older version gave a signal the id of its lead.
    const previous = (await first.rows('signals')).map((signal) => ({
      ...signal,
      id: uuid5(`tax_delinquent|${String(signal['county_fips'])}|${String(signal['parcel_key'])}`),
    }));
    await first.close();
    const second = await buildTables({ staged_tax_parcel: debts('22 ROLL ST', {}), previous_signals: previous }, [
      'signals',
    ]);
    const places = await Promise.all(
      keys.map(async (key) => {
        const { city, city_basis, zip, zip_basis } = await second.one('signals', `parcel_key = '${key}'`);
        return [city, city_basis, zip, zip_basis];
      }),
    );
    const failed = second.failed;
    await second.close();
    assert.deepEqual(places, [
      ['NORWOOD', 'municipality', '45212', 'published'],
      [null, null, null, null],
      // The owner's mail no longer comes here
      [null, null, null, null],
    ]);
    assert.deepEqual(failed, []);
  });
});

describe('signals', () => {
  let built: Built;
  const fields = (key: string, ...names: string[]): Promise<unknown[]> =>
    built.values('signals', `parcel_key = '${key}' AND county_fips = '39061'`, ...names);
  before(async () => {
    built = await buildTables(
      {
        staged_tax_parcel: [
          debt('001', { certified_year: 2023 }),
          debt('002', { certified_year: 2026 }),
          debt('003', { certified_year: 2027 }),
          debt('004', { certified_year: 2020, years_delinquent: 2 }),
          debt('005'),
          debt('054-0004-0123-00'),
          debt('054-0004-0124-00', { street: '9 OWN LIST ST', county_value: '7.00', property_class: '510' }),
          debt('054-0004-0125-00'),
          debt('054-0004-0126-00'),
          debt('0550001000100', { street: '1 ROLL ST' }),
          debt('0550001000200', { street: '2 ROLL ST', city: 'CINCINNATI' }),
          debt('0550001000300', {
            street: '3 ROLL ST',
            mail_street: '3 Roll St',
            mail_city: 'CLEVES',
            mail_state: 'OH',
            mail_zip: '45002',
          }),
          debt('0550001000400', { street: '4 ROLL ST' }),
          debt('0590001002300'),
          debt('0590001002400'),
          debt('0590001002490'),
          debt('0590001002500'),
          debt('0540004012300', CUYAHOGA),
        ],
        staged_parcel: [
          parcel('0540004012300', {
            street: '1418 VINE ST',
            zip: '45202',
            county_value: '120000.00',
            property_class: '520',
          }),
          parcel('0540004012400', { street: '12 MAP ST', county_value: '8.00', property_class: '401' }),
          parcel('0540004012500', { street: 'GLENWAY AVE' }),
          parcel('0540004012600', { county_value: '50.00' }),
          parcel('0550001000100', { city: 'NORWOOD', city_is_municipality: true, zip: '45212' }),
          parcel('0550001000200', { city: 'NORWOOD', city_is_municipality: true, zip: '45212' }),
          parcel('0550001000400', { city: ' ', city_is_municipality: true }),
          parcel('05900010023', { is_lot: true, street: '23 LOT ST' }),
          parcel('05900010024', { is_lot: true, street: '24 LOT ST' }),
          parcel('05900010025', { is_lot: true, street: '25 LOT ST' }),
          parcel('0590001002500', { is_lot: false, street: '25 WHOLE ST' }),
        ],
      },
      ['signals', 'leads'],
      LISTINGS,
    );
  });
  after(() => built.close());

  it('count the years since certification, if the county prints no years', async () => {
    const years = (key: string): Promise<unknown[]> => fields(key, 'years_delinquent', 'years_basis', 'certified_year');
    assert.deepEqual(await years('001'), [3, 'since_certified_year', 2023]);
    assert.deepEqual(await years('002'), [0, 'since_certified_year', 2026]);
    assert.deepEqual(await years('004'), [2, 'published', 2020]);
    assert.deepEqual(await years('005'), [null, 'unknown', null]);
  });

  it('have no years from a future year of certification', async () => {
    assert.deepEqual(await fields('003', 'years_delinquent', 'years_basis', 'certified_year'), [null, 'unknown', 2027]);
  });

  const place = ['address', 'address_basis', 'address_status', 'has_address', 'county_value', 'property_class'];
  it("have the address and value of their parcel from the county's layer, in any format of its number", async () => {
    assert.deepEqual(await fields('0540004012300', ...place, 'zip'), [
      '1418 VINE ST',
      'parcel_layer',
      'available',
      true,
      '120000.00',
      '520',
      '45202',
    ]);
    const leads = await built.rows('leads', "parcel_key = '0540004012300' AND address = '1418 VINE ST'");
    assert.equal(leads.length, 1, 'which makes them a lead');
  });

  it('keep the values of their own list', async () => {
    assert.deepEqual(await fields('0540004012400', ...place), [
      '9 OWN LIST ST',
      'tax_list',
      'available',
      true,
      '7.00',
      '510',
    ]);
  });

  it('have no address if the layer has no house number, and wait for a lookup if it has no street', async () => {
    assert.deepEqual(await fields('0540004012500', ...place), [
      'GLENWAY AVE',
      'parcel_layer',
      'no_house_number',
      false,
      null,
      null,
    ]);
    assert.deepEqual(await fields('0540004012600', ...place), [
      null,
      null,
      'pending_parcel_lookup',
      false,
      '50.00',
      null,
    ]);
  });

  it('never match a parcel of another county', async () => {
    assert.deepEqual(await built.values('signals', "county_fips = '39035'", ...place), [
      null,
      null,
      'pending_parcel_lookup',
      false,
      null,
      null,
    ]);
  });

  it('have the city and ZIP of the tax roll, and say where they come from', async () => {
    const shown = ['city', 'city_basis', 'zip', 'zip_basis', 'address_basis'] as const;
    assert.deepEqual(await fields('0550001000100', ...shown), [
      'NORWOOD',
      'municipality',
      '45212',
      'published',
      'tax_list',
    ]);
    assert.deepEqual(await fields('0550001000200', ...shown), [
      'CINCINNATI',
      'published',
      '45212',
      'published',
      'tax_list',
    ]);
    assert.deepEqual(await fields('0550001000300', ...shown), [
      'CLEVES',
      'owner_mail',
      '45002',
      'owner_mail',
      'tax_list',
    ]);
    assert.deepEqual(await fields('0550001000400', ...shown), [null, null, null, null, 'tax_list']);
  });

  it('pass every audit', () => assert.deepEqual(built.failed, []));

  it('finds a parcel by the start of its number if it is the only listed one', async () => {
    const shown = ['address', 'address_basis'] as const;
    assert.deepEqual(await fields('0590001002300', ...shown), ['23 LOT ST', 'parcel_layer']);
    assert.deepEqual(await fields('0590001002400', ...shown), [null, null], 'two units of one lot');
    assert.deepEqual(await fields('0590001002490', ...shown), [null, null]);
    assert.deepEqual(await fields('0590001002500', ...shown), ['25 WHOLE ST', 'parcel_layer']);
  });
});

/** Lookups with a city or a ZIP, of records that have none: what matches within the county, and what never does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressParts } from '../../../lib/addresses/parts.ts';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, type Row } from '../support/snapshot_fixtures.ts';

const HAMILTON = { county_fips: '39061', county: 'Hamilton County, OH', state: 'OH' };
const CUYAHOGA = { county_fips: '39035', county: 'Cuyahoga County, OH', state: 'OH' };

/** A house on Race Street or on another, as the models write its parts. */
const house = (number: number | string, street = 'RACE ST'): Row => ({ ...addressParts(`${number} ${street}`) });

const signal = (n: number, given: Row): Row =>
  rowOf('signals', n, { has_address: true, address: 'as the county prints it', ...given });
const known = (city: string | null, zip: string | null, city_basis = 'published'): Row => ({
  city,
  city_basis: city === null ? null : city_basis,
  zip,
  zip_basis: zip === null ? null : 'published',
});

const SIGNALS = [
  // One record without a place
  signal(1, { ...HAMILTON, ...house(1) }),
  // Two parcels without a place
  signal(2, { ...HAMILTON, ...house(3) }),
  signal(3, { ...HAMILTON, ...house(3) }),
  // One without a place, one in Norwood
  signal(4, { ...HAMILTON, ...house(5) }),
  signal(5, { ...HAMILTON, ...house(5), ...known('Norwood', '45212') }),
  // One without a place, one in Cincinnati
  signal(6, { ...HAMILTON, ...house(7) }),
  signal(7, { ...HAMILTON, ...house(7), ...known('CINCINNATI', null) }),
  // The municipality on the tax roll
  signal(8, { ...HAMILTON, ...house(9), ...known('NORWOOD', null, 'municipality') }),
  signal(9, { ...HAMILTON, ...house(11), ...known('NORWOOD', '45212', 'municipality') }),
  // A range and a unit without a place
  signal(10, { ...HAMILTON, ...house('20-24') }),
  signal(11, { ...HAMILTON, ...house(31, 'RACE ST # 4') }),
  // Two counties that print no place
  signal(12, { ...CUYAHOGA, ...house(1) }),
  signal(13, { ...CUYAHOGA, ...house(99, 'EUCLID AVE'), ...known('Cleveland', '44113') }),
  // A parcel number in two counties
  signal(14, { ...HAMILTON, ...house(41), parcel_id: '555-1', parcel_key: '5551' }),
  signal(15, { ...CUYAHOGA, ...house(43), parcel_id: '555-1', parcel_key: '5551' }),
  // More records without a place than a response has room for, and one in the wanted place
  ...Array.from({ length: 100 }, (_, i) => signal(200 + i, { ...HAMILTON, ...house(51) })),
  signal(300, { ...HAMILTON, ...house(51), ...known('Cincinnati', '45202') }),
];

describe('a lookup with a city or a ZIP', () => {
  const shared = sharedApp({
    // A listing shows that its city is in its county
    deals: [rowOf('deals', 1, { ...HAMILTON, city: 'Elmwood Place', zip: '45216', ...house(901) })],
    signals: SIGNALS,
    auctions: [rowOf('auctions', 1, { ...HAMILTON, property_address: '61 Race St', ...house(61) })],
  });

  const look = async (query: string | Record<string, string>) => {
    const parameters = new URLSearchParams(typeof query === 'string' ? { address: query } : query);
    const settled = shared.app.facilitator.settled;
    const { status, body } = await shared.ask(`/api/lookup?${parameters.toString()}`);
    const found = (section: string): string[] =>
      ((body[section] ?? []) as { id: string; match_basis: string }[]).map(
        ({ id, match_basis }) => `${Number(id.slice(-12))} ${match_basis}`,
      );
    return {
      status,
      basis: body['match_basis'],
      billed: shared.app.facilitator.settled - settled,
      signals: found('signals'),
      auctions: found('auctions'),
    };
  };
  const signalsOf = async (query: string | Record<string, string>): Promise<string[]> => (await look(query)).signals;

  it('matches a record without a place by a city or a ZIP of its county, says so, and is billed', async () => {
    for (const query of [
      '1 Race St, Cincinnati',
      '1 Race St, Cincinnati, OH',
      '1 Race St, 45202',
      '1 Race St, Cincinnati, OH 45202',
      '1 Race St, Elmwood Place, OH',
    ]) {
      const { status, basis, billed, signals } = await look(query);
      assert.equal(status, 200, query);
      assert.deepEqual(signals, ['1 address_exact_place_unknown'], query);
      assert.equal(basis, 'address_exact_place_unknown');
      assert.equal(billed, 1);
    }
    assert.deepEqual(await signalsOf({ address: '1 race street', city: 'CINCINNATI', state: 'oh' }), [
      '1 address_exact_place_unknown',
    ]);
  });

  it('never matches a record of another county, and is not billed', async () => {
    assert.deepEqual(await signalsOf('1 Race St, Cleveland'), ['12 address_exact_place_unknown']);
    assert.deepEqual(await signalsOf('1 Race St, 44113'), ['12 address_exact_place_unknown']);
    for (const query of [
      // Known places of no county that has the record
      '3 Race St, Cleveland',
      '3 Race St, 44113',
      // The city is of one county, the ZIP of another
      '1 Race St, Cincinnati, OH 44113',
      // Places of which nothing shows the county
      '1 Race St, Toledo, OH',
      '1 Race St, 99999',
      // Another state
      '1 Race St, Cincinnati, KY',
    ]) {
      const { status, billed } = await look(query);
      assert.deepEqual([status, billed], [404, 0], query);
    }
  });

  it('lists each record without a place if the county has several', async () => {
    assert.deepEqual(await signalsOf('3 Race St, Cincinnati'), [
      '2 address_exact_place_unknown',
      '3 address_exact_place_unknown',
    ]);
  });

  it('leaves out a record that is known to be in another place', async () => {
    assert.deepEqual(await signalsOf('5 Race St, Cincinnati'), ['4 address_exact_place_unknown']);
    assert.deepEqual(await signalsOf('5 Race St, Norwood, OH 45212'), [
      '5 address_exact',
      '4 address_exact_place_unknown',
    ]);
  });

  it('returns a record of the requested place first', async () => {
    const { basis, signals } = await look('7 Race St, Cincinnati, OH 45202');
    assert.deepEqual(signals, ['7 address_exact', '6 address_exact_place_unknown']);
    assert.equal(basis, 'address_exact');
    const many = await signalsOf('51 Race St, Cincinnati');
    assert.deepEqual([many.length, many[0]], [100, '300 address_exact']);
  });

  it('does not treat a municipality as the city of the address, but uses its ZIP', async () => {
    assert.deepEqual(await signalsOf('9 Race St, Norwood'), ['8 address_exact']);
    assert.deepEqual(await signalsOf('9 Race St, Cincinnati'), ['8 address_exact_place_unknown']);
    assert.deepEqual(await signalsOf('11 Race St, Cincinnati, OH 45212'), ['9 address_exact']);
    assert.deepEqual(await signalsOf('11 Race St, Norwood, OH 45202'), []);
  });

  it('also reports a range and a missing unit', async () => {
    assert.deepEqual(await signalsOf('22 Race St, Cincinnati'), ['10 address_range_place_unknown']);
    assert.deepEqual(await signalsOf('31 Race St, Cincinnati'), ['11 address_without_unit_place_unknown']);
    assert.deepEqual(await signalsOf('31 Race St Apt 5, Cincinnati'), []);
    assert.deepEqual(await signalsOf('23 Race St, Cincinnati'), []);
  });

  it('finds a parcel number in its county only', async () => {
    assert.deepEqual(await signalsOf({ apn: '5551' }), ['14 apn_exact', '15 apn_exact']);
    assert.deepEqual(await signalsOf({ apn: '555-1', city: 'Cincinnati' }), ['14 apn_exact']);
    assert.deepEqual(await signalsOf({ apn: '555-1', city: 'Cleveland' }), ['15 apn_exact']);
  });
});

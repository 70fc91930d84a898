/** Lookup of an address or a parcel: what matches, on which basis, and what never matches. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressParts } from '../../../lib/addresses/parts.ts';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, uuid, type Row } from '../support/snapshot_fixtures.ts';

/** Normalized parts of an address, as the models write them. */
const at = (address: string): Row => ({ ...addressParts(address) });

describe('a lookup', () => {
  const cleveland = { city: 'Cleveland', state: 'OH', zip: '44113' };
  const signal = (n: number, given: Row): Row =>
    rowOf('signals', n, {
      has_address: true,
      address: 'as the county prints it',
      source: 'oh_cuyahoga_tax',
      county_fips: '39035',
      ...cleveland,
      ...given,
    });
  const shared = sharedApp({
    deals: [
      rowOf('deals', 1, { ...cleveland, ...at('912 MAIN ST') }),
      rowOf('deals', 2, { ...cleveland, ...at('913 MAIN ST') }),
      rowOf('deals', 3, { city: 'Akron', state: 'OH', zip: '44301', ...at('912 MAIN ST') }),
    ],
    signals: [
      signal(1, at('912 MAIN ST')),
      signal(2, at('910-914 MAIN ST')),
      signal(3, at('912 MAIN ST # 4')),
      signal(4, at('911-915 MAIN ST')),
      signal(5, { ...at('912 MAIN ST'), signal_state: 'removed', state_reason: 'balance_zero' }),
      signal(6, at('912 MAINE ST')),
      signal(7, { ...at('7 OAK AVE'), parcel_id: '101-22-045', parcel_key: '10122045' }),
    ],
    auctions: [
      rowOf('auctions', 1, {
        parcel_id: '101 22 045',
        parcel_key: '10122045',
        property_address: '7 Oak Avenue',
        county_fips: '39035',
        ...cleveland,
        ...at('7 OAK AVE'),
      }),
    ],
    sources: [
      rowOf('sources', 1, {
        source: 'oh_cuyahoga_tax',
        family: 'tax',
        covered_kinds: 'tax_delinquent',
        county: 'Cuyahoga County, OH',
        county_fips: '39035',
        last_good_at: '2026-11-20T12:00:00Z',
      }),
      rowOf('sources', 2, {
        source: 'mi_detroit_sales',
        family: 'auctions',
        county: 'Wayne County, MI',
        county_fips: '26163',
        covered_kinds: 'foreclosure_filing, tax_sale',
        covered_city: 'Detroit',
        last_good_at: '2026-11-20T12:00:00Z',
      }),
    ],
  });

  const look = async (
    query: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown>; found: (section: string) => [string, string][] }> => {
    const { status, body } = await shared.ask(`/api/lookup?${new URLSearchParams(query).toString()}`);
    return {
      status,
      body,
      found: (section) => (body[section] as { id: string; match_basis: string }[]).map((r) => [r.id, r.match_basis]),
    };
  };

  it('matches an address in any spelling, ranges that contain it and its units, strongest basis first', async () => {
    for (const query of [
      { address: '912 main street', city: 'cleveland' },
      { address: '912 Main St., Cleveland, OH 44113' },
      { address: '0912 MAIN ST', state: 'oh', city: 'Cleveland' },
    ]) {
      const { status, body, found } = await look(query as Record<string, string>);
      assert.equal(status, 200);
      assert.deepEqual(found('listings'), [[uuid(1), 'address_exact']]);
      assert.deepEqual(found('signals'), [
        [uuid(1), 'address_exact'],
        [uuid(2), 'address_range'],
        [uuid(3), 'address_without_unit'],
      ]);
      assert.equal(body['match_basis'], 'address_exact');
      assert.equal(body['understood_as'], '912 MAIN ST');
    }
  });

  it('never matches another unit', async () => {
    assert.deepEqual((await look({ address: '912 Main St Apt 4', city: 'Cleveland' })).found('signals'), [
      [uuid(3), 'address_exact'],
      [uuid(1), 'address_without_unit'],
    ]);
    assert.deepEqual((await look({ address: '912 Main St Apt 5', city: 'Cleveland' })).found('signals'), [
      [uuid(1), 'address_without_unit'],
    ]);
    assert.deepEqual((await look({ address: '910-914 Main St Apt 4', city: 'Cleveland' })).found('signals'), [
      [uuid(3), 'address_range'],
      [uuid(2), 'address_without_unit'],
    ]);
    assert.deepEqual((await look({ address: '910-914 Main St Apt 5', city: 'Cleveland' })).found('signals'), [
      [uuid(2), 'address_without_unit'],
    ]);
  });

  it('never matches a neighbor, the other side of the street, a similar name, or another city', async () => {
    const { found } = await look({ address: '913 Main St', city: 'Cleveland' });
    assert.deepEqual(found('listings'), [[uuid(2), 'address_exact']]);
    assert.deepEqual(found('signals'), [[uuid(4), 'address_range']]);
    assert.deepEqual((await look({ address: '912 Main St, Akron' })).found('signals'), []);
    assert.equal((await look({ address: '912 Main St', city: 'Columbus' })).status, 404);
    assert.equal((await look({ address: '91 Main St' })).status, 404);
  });

  it('matches a parcel ignoring spaces and dashes, in signals and auctions only', async () => {
    for (const query of [{ apn: '101-22-045' }, { parcel: '10122 045' }]) {
      const { found } = await look(query as Record<string, string>);
      assert.deepEqual(
        [found('listings'), found('signals'), found('auctions')],
        [[], [[uuid(7), 'apn_exact']], [[uuid(1), 'apn_exact']]],
      );
    }
  });

  it('returns every record that the parcel or the address matches, and says that they conflict', async () => {
    const agreeing = await look({ apn: '101-22-045', address: '7 Oak Ave, Cleveland' });
    assert.deepEqual(agreeing.found('signals'), [[uuid(7), 'apn_exact']]);
    assert.equal(agreeing.body['conflict'], null);
    const { status, body, found } = await look({ apn: '101-22-045', address: '912 Main St, Cleveland' });
    assert.equal(status, 200);
    assert.deepEqual(found('listings'), [[uuid(1), 'address_exact']]);
    assert.deepEqual(found('signals'), [
      [uuid(7), 'apn_exact'],
      [uuid(1), 'address_exact'],
      [uuid(2), 'address_range'],
      [uuid(3), 'address_without_unit'],
    ]);
    assert.deepEqual(found('auctions'), [[uuid(1), 'apn_exact']]);
    const { detail, ...conflict } = body['conflict'] as Record<string, unknown>;
    assert.match(String(detail), /do not name the same records/);
    assert.deepEqual(conflict, {
      other_address: [uuid(7), uuid(1)],
      other_parcel: [uuid(1), uuid(2), uuid(3)],
    });
    // The address is of another city than the parcel, or is not held at all.
    for (const address of ['7 Oak Ave, Akron', '1 Nowhere Rd']) {
      const other = await look({ apn: '101-22-045', address });
      assert.deepEqual(other.found('signals'), [[uuid(7), 'apn_exact']], address);
      assert.deepEqual((other.body['conflict'] as Record<string, unknown>)['other_address'], [uuid(7), uuid(1)]);
    }
    // A parcel that is not held loses no record of the address.
    const unknown = await look({ apn: '999', address: '7 Oak Ave, Cleveland' });
    assert.deepEqual(unknown.found('signals'), [[uuid(7), 'address_exact']]);
    assert.deepEqual((unknown.body['conflict'] as Record<string, unknown>)['other_parcel'], [uuid(7), uuid(1)]);
  });

  it('explains the coverage of the requested place', async () => {
    const placeOf = async (query: Record<string, string>) =>
      ((await look(query)).body['coverage'] as { place: Record<string, unknown> | null }).place;
    const covered = await placeOf({ address: '1 Nowhere Rd, Cleveland, OH 44113' });
    assert.deepEqual(
      [covered?.['city'], covered?.['state'], covered?.['zip'], covered?.['counties']],
      ['Cleveland', 'OH', '44113', ['Cuyahoga County, OH']],
    );
    assert.deepEqual(covered?.['tax_delinquency'], {
      status: 'covered',
      sources: [
        {
          source: 'oh_cuyahoga_tax',
          county: 'Cuyahoga County, OH',
          since: '2026-11-20T12:00:00Z',
          last_good_at: '2026-11-20T12:00:00Z',
        },
      ],
    });
    assert.deepEqual(covered?.['sheriff_sales'], { status: 'not_covered', sources: [] });
    const salesOf = async (city: string, zip: string): Promise<unknown> => {
      const place = (await placeOf({ address: `1 Nowhere Rd, ${city}, MI ${zip}` })) ?? assert.fail(city);
      return (place['sheriff_sales'] as { status: string }).status;
    };
    assert.equal(await salesOf('Detroit', '48204'), 'covered');
    assert.equal(await salesOf('Dearborn', '48126'), 'partly_covered');
    const unknown = await placeOf({ address: '1 Nowhere Rd, Fresno, CA' });
    for (const family of ['tax_delinquency', 'sheriff_sales'])
      assert.deepEqual(unknown?.[family], { status: 'unknown', sources: [] });
    assert.deepEqual(unknown?.['listings'], { status: 'not_covered', sources: [] });
    assert.match(String(unknown?.['explanation']), /^No record shows the county of Fresno CA/);
    assert.equal(await placeOf({ apn: '999' }), null);
  });

  it('is not billed without a match, and lists the covered counties', async () => {
    const settled = shared.app.facilitator.settled;
    const { status, body } = await look({ address: '1 Nowhere Rd' });
    assert.equal(status, 404);
    assert.equal(body['reason'], 'no_matches');
    assert.equal(body['understood_as'], '1 NOWHERE RD');
    assert.deepEqual((body['coverage'] as { tax_delinquency: unknown }).tax_delinquency, [
      { county: 'Cuyahoga County, OH', last_good_at: '2026-11-20T12:00:00Z' },
    ]);
    assert.equal(shared.app.facilitator.settled, settled);
    // A grid number has no range.
    assert.equal((await look({ address: 'W156N8480 Main Street' })).body['understood_as'], 'W156N8480 MAIN ST');
  });
});

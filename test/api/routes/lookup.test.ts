/** Lookup of an address or a parcel: what matches, on which basis, and what never matches. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { placeOf } from '../../../api/routes/lookup/place.ts';
import { addressNormalizer } from '../../../api/snapshot/addresses.ts';
import { loadSnapshot, type Snapshot } from '../../../api/snapshot/load.ts';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { macrosSql } from '../../../models/index.ts';
import { startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { dataFolder, rowOf, uuid, type DataFolder, type Row } from '../support/snapshot_fixtures.ts';

/** Normalized parts of an address, as the models write them. */
const at = (street: string, low: number, high = low, unit: string | null = null): Row => ({
  address_key: [low === high ? String(low) : `${low}-${high}`, street, unit].filter((s) => s !== null).join(' '),
  street_key: street,
  house_low: low,
  house_high: high,
  unit_key: unit,
});

describe('a lookup', () => {
  let folder: DataFolder;
  let started: Started;
  const buyer = buyerWith();

  before(async () => {
    folder = await dataFolder();
    const cleveland = { city: 'Cleveland', state: 'OH', zip: '44113' };
    const signal = (n: number, given: Row): Row =>
      rowOf('signals', n, { has_address: true, address: 'as the county prints it', ...cleveland, ...given });
    await folder.publish('2026-11-20.01', {
      deals: [
        rowOf('deals', 1, { ...cleveland, ...at('MAIN ST', 912) }),
        rowOf('deals', 2, { ...cleveland, ...at('MAIN ST', 913) }),
        rowOf('deals', 3, { city: 'Akron', state: 'OH', zip: '44301', ...at('MAIN ST', 912) }),
      ],
      signals: [
        signal(1, at('MAIN ST', 912)),
        signal(2, at('MAIN ST', 910, 914)),
        signal(3, at('MAIN ST', 912, 912, '# 4')),
        signal(4, at('MAIN ST', 911, 915)),
        signal(5, { ...at('MAIN ST', 912), signal_state: 'removed', state_reason: 'balance_zero' }),
        signal(6, at('MAINE ST', 912)),
        signal(8, { ...at('ELM ST', 5), city: null }),
        signal(9, { ...at('ELM ST', 6), zip: null }),
        signal(7, { ...at('OAK AVE', 7), parcel_id: '101-22-045', parcel_key: '10122045' }),
      ],
      auctions: [
        rowOf('auctions', 1, {
          parcel_id: '101 22 045',
          parcel_key: '10122045',
          property_address: '7 Oak Avenue',
          ...cleveland,
          ...at('OAK AVE', 7),
        }),
      ],
      sources: [
        rowOf('sources', 1, {
          source: 'oh_cuyahoga_tax',
          family: 'tax',
          county: 'Cuyahoga County, OH',
          last_good_at: '2026-11-20T12:00:00Z',
        }),
      ],
    });
    started = await startApp(folder.path);
  });
  after(async () => {
    await started.close();
    await folder.remove();
  });

  const look = async (
    query: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown>; found: (section: string) => [string, string][] }> => {
    const response = await buyer.fetch(`${started.url}/api/lookup?${new URLSearchParams(query).toString()}`);
    const body = await bodyOf(response);
    return {
      status: response.status,
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

  it('matches a row without a city by its ZIP, and a row without a ZIP by its city', async () => {
    assert.deepEqual((await look({ address: '5 Elm St, Cleveland, OH 44113' })).found('signals'), [
      [uuid(8), 'address_exact'],
    ]);
    assert.equal((await look({ address: '5 Elm St, Cleveland, OH 44114' })).status, 404);
    assert.deepEqual((await look({ address: '5 Elm St, Cleveland' })).found('signals'), [
      [uuid(8), 'address_exact_place_unknown'],
    ]);
    assert.deepEqual((await look({ address: '6 Elm St, Cleveland, OH 44113' })).found('signals'), [
      [uuid(9), 'address_exact'],
    ]);
    assert.equal((await look({ address: '6 Elm St, Akron, OH 44113' })).status, 404);
    assert.deepEqual((await look({ address: '6 Elm St, 44113' })).found('signals'), [
      [uuid(9), 'address_exact_place_unknown'],
    ]);
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

  it('is not billed without a match, and lists the covered counties', async () => {
    const settled = started.facilitator.settled;
    const { status, body } = await look({ address: '1 Nowhere Rd' });
    assert.equal(status, 404);
    assert.equal(body['reason'], 'no_matches');
    assert.equal(body['understood_as'], '1 NOWHERE RD');
    assert.deepEqual((body['coverage'] as { tax_delinquency: unknown }).tax_delinquency, [
      { county: 'Cuyahoga County, OH', last_good_at: '2026-11-20T12:00:00Z' },
    ]);
    assert.equal(started.facilitator.settled, settled);
    // A grid number has no range.
    assert.equal((await look({ address: 'W156N8480 Main Street' })).body['understood_as'], 'W156N8480 MAIN ST');
  });

  it('is refused before a payment without an address or parcel', async () => {
    for (const [query, reason, field] of [
      ['', 'missing_parameter', 'address'],
      ['?city=Akron', 'missing_parameter', 'address'],
      ['?address=Main+St', 'invalid_parameter', 'address'],
      ['?apn=--', 'invalid_parameter', 'apn'],
      ['?apn=1&parcel=2', 'repeated_parameter', 'parcel'],
    ] as const) {
      const response = await fetch(`${started.url}/api/lookup${query}`);
      assert.equal(response.status, 400, query);
      const body = await bodyOf(response);
      assert.deepEqual([body['reason'], body['field']], [reason, field], query);
    }
  });

  it('splits an address at its commas', () => {
    assert.deepEqual(placeOf('12 Main St, Apt 4, Akron, OH 44301-1234'), {
      street: '12 Main St Apt 4',
      city: 'Akron',
      state: 'OH',
      zip: '44301',
    });
    assert.deepEqual(placeOf('12 Main St, 44301'), { street: '12 Main St', zip: '44301' });
    assert.deepEqual(placeOf('12 Main St, St. Louis, mo'), { street: '12 Main St', city: 'St. Louis', state: 'MO' });
    assert.deepEqual(placeOf('12 Main St'), { street: '12 Main St' });
    // Several units and floors, as listings print them; a city may begin with the word for a unit.
    assert.deepEqual(placeOf('3940 Eldermoor Avenue, Units 1-6'), { street: '3940 Eldermoor Avenue Units 1-6' });
    assert.deepEqual(placeOf('12 Main St, Upper, Akron, OH'), {
      street: '12 Main St Upper',
      city: 'Akron',
      state: 'OH',
    });
    assert.deepEqual(placeOf('12 Main St, 2nd Floor'), { street: '12 Main St 2nd Floor' });
    assert.deepEqual(placeOf('12 Main St, Upper Arlington, OH'), {
      street: '12 Main St',
      city: 'Upper Arlington',
      state: 'OH',
    });
  });

  it('reads the same words as a unit as the models do', async () => {
    const duck = await openSmall();
    await duck.connection.run(macrosSql());
    const [row] = await rowsOf(duck.connection, 'SELECT unit_designators() AS designators, unit_places() AS places');
    await duck.close();
    const [designators, places] = [row?.['designators'] as string[], row?.['places'] as string[]];
    for (const part of [...designators.map((word) => `${word.replace('S?', 's')} 4`), ...places]) {
      assert.deepEqual(placeOf(`12 Main St, ${part}`), { street: `12 Main St ${part}` }, part);
    }
  });
});

describe('addresses', () => {
  const withAddresses = async (test: (snapshot: Snapshot) => Promise<void>): Promise<void> => {
    const folder = await dataFolder();
    const snapshot = await loadSnapshot(await folder.publish('2026-11-20.01', {}));
    try {
      await test(snapshot);
    } finally {
      snapshot.close();
      await folder.remove();
    }
  };

  it('are normalized correctly in parallel', () =>
    withAddresses(async ({ normalize }) => {
      const keysFrom = (from: number): Promise<(string | undefined)[]> =>
        Promise.all(
          Array.from(
            { length: 70 },
            async (_, i) =>
              (await normalize(i % 7 === 0 ? `Elm Street ${from + i}` : `${from + i} Elm Street`))?.address_key,
          ),
        );
      const expected = (from: number): (string | undefined)[] =>
        Array.from({ length: 70 }, (_, i) => (i % 7 === 0 ? undefined : `${from + i} ELM ST`));
      assert.deepEqual(await keysFrom(1), expected(1));
      assert.deepEqual(await Promise.all([keysFrom(1000), keysFrom(2000)]), [expected(1000), expected(2000)]);
    }));

  it('are not cached after a failure', () =>
    withAddresses(async (snapshot) => {
      let failures = 1;
      const normalize = addressNormalizer({
        rows: async (sql, params) => {
          failures -= 1;
          if (failures >= 0) throw new Error('no');
          return snapshot.rows(sql, params);
        },
      });
      await assert.rejects(normalize('1 Elm Street'), /no/);
      assert.deepEqual(await normalize('1 Elm Street Apt 4'), {
        address_key: '1 ELM ST # 4',
        street_key: 'ELM ST',
        house_low: 1,
        house_high: 1,
        unit_key: '# 4',
      });
      assert.deepEqual(await normalize('1 Elm Street'), {
        address_key: '1 ELM ST',
        street_key: 'ELM ST',
        house_low: 1,
        house_high: 1,
        unit_key: null,
      });
    }));
});

/** Hamilton's list has no addresses: they come from the county's map, for some parcels days later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatComparisons } from '../../../sandbox/comparison/compare.ts';
import { reconcile } from '../../../sandbox/comparison/records.ts';
import { newLayout, published, runDay, smallWorld } from '../runs.ts';

test('a parcel waits for its address until the map has it, and keeps it if the map later omits it', async () => {
  const [layout, world] = [await newLayout(), smallWorld()];
  const only = ['oh_hamilton_tax', 'oh_hamilton_parcels'];
  const tables = ['signals'];
  const signalsOf = async (runId: string): Promise<Map<string, Record<string, unknown>>> =>
    new Map(
      (await published(layout, runId, 'signals', "WHERE county_fips = '39061'")).map((s) => [
        String(s['parcel_key']),
        s,
      ]),
    );

  const friday = await runDay({ layout, world, day: '2026-11-20', only, tables });
  const before = await signalsOf(friday.runId);
  const awaiting = friday.truth.delinquent.filter((d) => d.countyFips === '39061' && !d.isMapped);
  assert.ok(awaiting.length > 0);
  for (const { parcel, amount } of awaiting) {
    const signal = before.get(parcel);
    assert.deepEqual(
      [
        signal?.['address_status'],
        signal?.['address'],
        signal?.['address_basis'],
        signal?.['county_value'],
        signal?.['amount'],
      ],
      ['pending_parcel_lookup', null, null, null, amount],
    );
  }

  const later = await runDay({ layout, world, day: '2026-11-24', only, tables });
  const after = await signalsOf(later.runId);
  const found = later.truth.delinquent.filter(
    (d) =>
      d.isMapped &&
      later.truth.property(d.propertyId).hasAddress &&
      awaiting.some((a) => a.propertyId === d.propertyId),
  );
  assert.ok(found.length > 0, 'some were found between the two days');
  for (const { parcel, amount, propertyId } of found) {
    const signal = after.get(parcel);
    assert.deepEqual(
      [
        signal?.['address_status'],
        signal?.['address_basis'],
        signal?.['has_address'],
        signal?.['amount'],
        signal?.['county_value'],
      ],
      ['available', 'parcel_layer', true, amount, `${later.truth.property(propertyId).value}.00`],
    );
    assert.ok(String(signal?.['address']).startsWith(String(later.truth.property(propertyId).address.low)));
    assert.deepEqual(
      [signal?.['id'], signal?.['first_seen']],
      [before.get(parcel)?.['id'], before.get(parcel)?.['first_seen']],
      'it is the same signal',
    );
  }
  const isCompared = (record: string): boolean => record === 'tax debts of 39061';
  const { comparisons } = await reconcile(layout.snapshot(later.runId), world, { isCompared });
  const different = comparisons.filter(({ differences }) => differences.length > 0);
  assert.deepEqual(different, [], formatComparisons(different).join('\n'));

  // The debt is paid, say: the map no longer counts the parcel as delinquent while the month's list still has it.
  const names = new Set(found.map((d) => d.parcel));
  const without = await runDay({
    layout,
    world,
    day: '2026-11-25',
    only,
    tables,
    alter: (request, response) => {
      if (request.host !== 'cagisonline.hamilton-co.org' || !request.path.endsWith('/query')) return undefined;
      const body = JSON.parse(new TextDecoder().decode(response.body)) as {
        features?: { attributes: { AUDPCLID: string } }[];
      };
      const lots = new Set([...names].map((name) => name.slice(0, 11)));
      const others = (body.features ?? []).map((f, at) => {
        const other = { AUDPTYID: `ZZZ${String(at).padStart(10, '0')}`, AUDPCLID: 'ZZZ' };
        return lots.has(f.attributes.AUDPCLID) ? { attributes: { ...f.attributes, ...other } } : f;
      });
      const changed = body.features ? { ...body, features: others } : body;
      return { ...response, body: new TextEncoder().encode(JSON.stringify(changed)) };
    },
  });
  assert.equal(without.sources.find((s) => s.row.source === 'oh_hamilton_parcels')?.row.status, 'good');
  const still = await signalsOf(without.runId);
  for (const { parcel } of found)
    assert.deepEqual(
      [still.get(parcel)?.['address'], still.get(parcel)?.['address_basis']],
      [after.get(parcel)?.['address'], 'parcel_layer'],
    );
});

/** near, radius_miles and bbox: by the coordinates of records, with their precision, and nothing to learn for free. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchPaymentRequired } from '../support/buyers.ts';
import { rowOf, type Row } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';

/** Cleveland, then 1, 4.9 and 5.1 miles north of it, 4.9 and 5.1 miles east of it, Columbus; the last have no point. */
const POINTS = [
  ['41.50000', '-81.70000', 'parcel_layer'],
  ['41.51447', '-81.70000', 'zip_centroid'],
  ['41.57091', '-81.70000', 'parcel_layer'],
  ['41.57382', '-81.70000', 'parcel_layer'],
  ['41.50000', '-81.60531', 'zip_centroid'],
  ['41.50000', '-81.60145', 'parcel_layer'],
  ['39.96120', '-82.99880', 'zip_centroid'],
  [null, null, 'no_zip'],
  [null, null, 'zip_not_listed'],
] as const;
const rows = (table: 'deals' | 'signals' | 'auctions' | 'leads'): Row[] =>
  POINTS.map(([latitude, longitude, geo_basis], i) =>
    rowOf(table, i + 1, { latitude, longitude, geo_basis, state: i === 8 ? 'MI' : 'OH' }),
  );
const LISTS = ['deals', 'deals/basic', 'signals', 'auctions', 'leads'] as const;

describe('a filter by coordinates', () => {
  const shared = sharedApp({
    deals: rows('deals'),
    signals: rows('signals'),
    auctions: rows('auctions'),
    leads: rows('leads'),
  });
  const numbers = ({ records }: Record<string, unknown>): number[] =>
    (records as Row[]).map(({ id }) => Number(String(id).slice(-2))).toSorted((a, b) => a - b);

  it('finds what is within the radius or the box, on every list, and counts it by geo_basis', async () => {
    for (const list of LISTS)
      for (const [query, found, located] of [
        ['near=41.5,-81.7', [1, 2, 3, 5], { parcel_layer: 2, zip_centroid: 2, unlocated: 2 }],
        ['near=41.5,-81.7&radius_miles=0.5', [1], { parcel_layer: 1, zip_centroid: 0, unlocated: 2 }],
        ['near=39.9,%20-83&radius_miles=50&state=OH', [7], { parcel_layer: 0, zip_centroid: 1, unlocated: 1 }],
        ['bbox=-81.7,41.5,-81.6,41.51447', [1, 2, 5, 6], { parcel_layer: 2, zip_centroid: 2, unlocated: 2 }],
        ['bbox=-83,39,-81.65,41.6&near=41.5,-81.7', [1, 2, 3], { parcel_layer: 2, zip_centroid: 1, unlocated: 2 }],
      ] as const) {
        const body = await shared.buy(`/api/${list}?${query}`);
        assert.deepEqual([numbers(body), body['located']], [found, located], `${list} ${query}`);
      }
    const [first] = (await shared.buy('/api/deals?near=41.5,-81.7&radius_miles=0.5'))['records'] as Row[];
    const place = [first?.['latitude'], first?.['longitude'], first?.['geo_basis']];
    assert.deepEqual(place, POINTS[0], 'a deal has its point, which is not among its default fields');
    assert.equal((await shared.buy('/api/deals'))['located'], undefined);
  });

  it('is refused before a payment if it is outside the country', async () => {
    for (const [query, field] of [
      ['near=-81.7,41.5', 'near'],
      ['near=Cleveland', 'near'],
      ['near=0,0', 'near'],
      ['near=41.5', 'near'],
      ['radius_miles=5', 'near'],
      ['near=41.5,-81.7&radius_miles=8km', 'radius_miles'],
      ['near=41.5,-81.7&radius_miles=50.1', 'radius_miles'],
      ['near=41.5,-81.7&radius_miles=0', 'radius_miles'],
      ['bbox=41.4,-81.9,41.6,-81.5', 'bbox'],
      ['bbox=-81.5,41.4,-81.9,41.6', 'bbox'],
    ] as const) {
      const { response, body } = await shared.get(`/api/signals?${query}`);
      assert.deepEqual([response.status, body['reason'], body['field']], [400, 'invalid_parameter', field], query);
    }
    for (const path of ['count/deals', 'leads/exclusive', 'owners', 'filings'])
      assert.equal((await shared.get(`/api/${path}?near=41.5,-81.7`)).body['reason'], 'unknown_parameter', path);
    const changes = await shared.get('/api/deals?near=41.5,-81.7&updated_since=2026-11-20');
    assert.deepEqual([changes.response.status, changes.body['field']], [400, 'near']);
  });

  it('reveals nothing without a payment, or by a miss', async () => {
    const terms = async (box: string): Promise<unknown> => {
      const { body } = await shared.get(`/api/signals?bbox=${box}`);
      const { accepts } = await fetchPaymentRequired(`${shared.app.url}/api/signals?bbox=${box}`);
      return [body['status'], body['matches'], body['hints'], accepts];
    };
    assert.deepEqual(await terms('-83.1,39.9,-82.9,40'), await terms('-100,39.9,-99,40'));
    const { status, body: miss } = await shared.ask('/api/signals?bbox=-100,39.9,-99,40&state=OH');
    assert.deepEqual([status, miss['billed'], miss['total_matches'], miss['located']], [404, false, 0, undefined]);
  });
});

/** /api/places: every place with records, in each spelling, with the ranges of /api/count and nothing more. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, rowsOfTable, type Row } from '../support/snapshot_fixtures.ts';

const LOUIS = { state: 'MO', county: 'St. Louis County, MO', county_fips: '29189', metro: 'St. Louis' } as const;
const STARK = { state: 'OH', county: 'Stark County, OH', county_fips: '39151', metro: null } as const;
const place = (n: number, given: Row): Row => rowOf('places', n, { has_listings: true, ...given });

const TABLES = {
  deals: [
    ...rowsOfTable('deals', 11, () => ({ ...LOUIS, city: 'St. Louis', zip: '63101' })),
    rowOf('deals', 12, { ...LOUIS, city: 'SAINT LOUIS', zip: '63102' }),
    rowOf('deals', 13, { ...STARK, city: 'Canton', zip: '44702' }),
  ],
  leads: [rowOf('leads', 1, { ...STARK, city: 'Canton', zip: '44702' })],
  places: [
    place(1, { ...LOUIS, city: 'St. Louis', zip: '63101' }),
    place(2, { ...LOUIS, city: 'SAINT LOUIS', zip: '63102' }),
    place(3, { ...STARK, city: 'Canton', zip: '44702' }),
    place(4, { state: 'FL', county: 'Lake County, FL', county_fips: '12069', has_listings: false }),
    place(5, { ...STARK, zip: '447', has_listings: false }),
  ],
};

interface Found {
  readonly kind: string;
  readonly name: string;
  readonly spellings: string[];
  readonly filters: Record<string, string>;
  readonly matches: Record<string, unknown>;
}

describe('the places', () => {
  const shared = sharedApp(TABLES);
  const ask = async (query = ''): Promise<Record<string, unknown> & { places: Found[] }> =>
    (await shared.get(`/api/places${query}`)).body as Record<string, unknown> & { places: Found[] };
  const names = ({ places }: { readonly places: readonly Found[] }): string[] =>
    places.map(({ kind, name }) => `${kind} ${name}`);

  it('are those with a listing or a record, larger ones first, and found in every spelling', async () => {
    const all = await ask();
    assert.deepEqual(names(all), [
      'metro St. Louis',
      'county St. Louis County, MO',
      'county Stark County, OH',
      'city Canton',
      'city SAINT LOUIS',
      'zip 44702',
      'zip 63101',
      'zip 63102',
    ]);
    for (const q of ['saint%20louis', 'St.%20Louis', 'stlouis'])
      assert.deepEqual(names(await ask(`?q=${q}&kind=city`)), ['city SAINT LOUIS'], q);
    assert.deepEqual(all.places[4]?.spellings, ['SAINT LOUIS', 'St. Louis']);
    assert.deepEqual(names(await ask('?q=631')), ['zip 63101', 'zip 63102']);
    assert.deepEqual(names(await ask('?q=louis&state=MO')), names(await ask('?state=MO')).slice(0, 3));
    const unknown = await ask('?q=Cantn');
    assert.deepEqual([unknown.places, unknown['near']], [[], ['Canton']]);
    assert.deepEqual((await ask('?q=Lake')).places, []);
  });

  it('have the ranges of /api/count with their filters', async () => {
    for (const { name, filters, matches } of (await ask()).places)
      for (const [list, range] of Object.entries(matches)) {
        const { body } = await shared.get(`/api/count/${list}?${new URLSearchParams(filters).toString()}`);
        assert.deepEqual(range, body['matches'], `${list} ${name}`);
      }
    const [louis] = (await ask('?q=st%20louis&kind=city')).places;
    assert.deepEqual(louis?.matches['deals'], { at_least: 10, at_most: 24 }, 'twelve, in both spellings');
    const [canton] = (await ask('?q=canton')).places;
    assert.deepEqual(canton?.matches, {
      deals: { at_least: 1, at_most: 9 },
      signals: { at_least: 0, at_most: 0 },
      auctions: { at_least: 0, at_most: 0 },
      leads: { at_least: 0, at_most: 9 },
    });
  });
});

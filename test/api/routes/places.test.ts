/** Places: each in each spelling, with the ranges of /api/count; filters find it, and a miss says what is near. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedApp } from '../support/test_app.ts';
import { rowOf, rowsOfTable, type Row } from '../support/snapshot_fixtures.ts';

const LOUIS = { state: 'MO', county: 'St. Louis County, MO', county_fips: '29189', metro: 'St. Louis' } as const;
const STARK = { state: 'OH', county: 'Stark County, OH', county_fips: '39151', metro: null } as const;
const placeRow = (n: number, given: Row): Row => rowOf('places', n, { has_listings: true, ...given });

const TABLES = {
  deals: [
    ...rowsOfTable('deals', 11, () => ({ ...LOUIS, city: 'St. Louis', zip: '63101' })),
    rowOf('deals', 12, { ...LOUIS, city: 'SAINT LOUIS', zip: '63102' }),
    rowOf('deals', 13, { ...STARK, city: 'Canton', zip: '44702' }),
  ],
  leads: [rowOf('leads', 1, { ...STARK, city: 'Canton', zip: '44702' })],
  places: [
    placeRow(1, { ...LOUIS, city: 'St. Louis', zip: '63101' }),
    placeRow(2, { ...LOUIS, city: 'SAINT LOUIS', zip: '63102' }),
    placeRow(3, { ...STARK, city: 'Canton', zip: '44702' }),
    placeRow(4, { state: 'FL', county: 'Lake County, FL', county_fips: '12069', has_listings: false }),
    placeRow(5, { ...STARK, zip: '447', has_listings: false }),
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

/** State, county, metro and city of each deal. */
const PLACES = [
  ['KY', 'Jefferson County, KY', 'Louisville', 'Louisville'],
  ['AL', 'Jefferson County, AL', 'Birmingham', 'Birmingham'],
  ['MO', 'St. Louis County, MO', 'St. Louis', 'St. Louis'],
  ['MO', 'St. Louis County, MO', 'St. Louis', 'SAINT LOUIS'],
  ['OH', 'Stark County, OH', null, 'Canton'],
  ['OH', 'Cuyahoga County, OH', 'Cleveland', 'Cleveland'],
] as const;

const placeOf = ([state, county, metro, city]: (typeof PLACES)[number]): Row => ({ state, county, metro, city });
const deals = PLACES.map((place, i) => rowOf('deals', i + 1, { ...placeOf(place), deal_score: 50 - i }));
const signals = PLACES.map((place, i) => rowOf('signals', i + 1, { ...placeOf(place), amount: `${1000 - i}.00` }));
const places = PLACES.map((place, i) =>
  rowOf('places', i + 1, { ...placeOf(place), county_fips: String(10_000 + i), has_listings: true, has_records: true }),
);
const elsewhere = rowOf('places', 90, { state: 'FL', county: 'Lake County, FL', county_fips: '12069' });

describe('a filter by place', () => {
  const filings = [rowOf('filings', 4, { business_city: 'ST. LOUIS' }), rowOf('filings', 6)];
  const shared = sharedApp({ deals, signals, filings, places: [...places, elsewhere] });
  /** Numbers of the records, or the problem of a 404. */
  const found = async (path: string): Promise<number[] | Record<string, unknown>> => {
    const { status, body } = await shared.ask(path);
    if (status !== 200) return { status, ...body };
    return (body['records'] as Row[]).map(({ id }) => Number(String(id).slice(-2)));
  };

  it('finds a county by a part of its name, by its state, and in another spelling', async () => {
    for (const [county, expected] of [
      ['Jefferson', [1, 2]],
      ['jefferson county, ky', [1]],
      ['Jefferson County Kentucky', [1]],
      ['OH', [5, 6]],
      ['Saint Louis', [3, 4]],
      ['st louis county', [3, 4]],
    ] as const)
      for (const list of ['deals', 'deals/basic', 'signals'])
        assert.deepEqual(
          ((await found(`/api/${list}?county=${encodeURIComponent(county)}`)) as number[]).toSorted(),
          expected,
          `${list} ${county}`,
        );
  });

  it('finds a city and a metro in each spelling, and other markets by their name', async () => {
    for (const query of ['city=St%20Louis', 'city=Saint%20Louis', 'city=St.%20Louis', 'metro=st%20louis'])
      for (const list of ['deals', 'signals']) assert.deepEqual(await found(`/api/${list}?${query}`), [3, 4], query);
    assert.deepEqual(await found('/api/filings?city=Saint%20Louis'), [4]);
    assert.deepEqual(await found('/api/deals?metro=Cleveland'), [6]);
    for (const name of ['other_market', 'Other%20markets'])
      assert.deepEqual(await found(`/api/deals?metro=${name}`), [5]);
    const { body } = await shared.get('/api/count/deals?metro=Saint%20Louis');
    assert.deepEqual(body['matches'], { at_least: 1, at_most: 9 });
    assert.deepEqual(((await found('/api/owners?metro=Cleveland')) as Record<string, unknown>)['status'], 404);
  });

  it('is 404 and free for an unknown place, and says what is near and whether it is covered', async () => {
    const settled = shared.app.facilitator.settled;
    for (const [query, expected] of [
      [
        'county=Jeferson',
        { is_known: false, is_covered: false, near: ['Jefferson County, AL', 'Jefferson County, KY'] },
      ],
      ['city=Clevland', { is_known: false, is_covered: false, near: ['Cleveland, OH'] }],
      ['metro=Clevelend', { is_known: false, is_covered: false, near: ['Cleveland'] }],
      ['county=Lake', { is_known: true, is_covered: false, near: [] }],
    ] as const) {
      for (const list of ['deals', 'signals', 'leads', 'leads/exclusive']) {
        const miss = (await found(`/api/${list}?${query}`)) as Record<string, unknown>;
        assert.deepEqual(
          [miss['status'], miss['reason'], miss['billed'], miss['place']],
          [404, 'no_matches', false, expected],
          `${list} ${query}`,
        );
      }
    }
    const known = (await found('/api/deals?county=Stark&min_units=99')) as Record<string, unknown>;
    assert.deepEqual(known['place'], { is_known: true, is_covered: true, near: [] });
    assert.equal(shared.app.facilitator.settled, settled);
  });
});

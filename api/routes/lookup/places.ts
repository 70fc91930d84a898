/**
 * Places of a snapshot: its cities with their states and counties, and the counties of a ZIP (also by
 * models/reference/county_zips.csv).
 */
import { z } from 'zod';
import { cachePerSnapshot } from '../../serving/memo.ts';
import type { Snapshot } from '../../serving/open.ts';

/** One form for words of place names that have several spellings. */
const PLACE_WORDS: Readonly<Record<string, string>> = {
  SAINT: 'ST',
  SAINTE: 'STE',
  FORT: 'FT',
  MOUNT: 'MT',
  HEIGHTS: 'HTS',
  HGTS: 'HTS',
};

/** A city's name in one form: "St. Louis" and "Saint Louis" are ST LOUIS. */
export const placeKey = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[\p{M}'’`]/gu, '')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => PLACE_WORDS[word] ?? word)
    .join(' ');

interface City {
  readonly states: Set<string>;
  readonly counties: Set<string>;
}

export interface KnownPlaces {
  /** By the key of the name. */
  readonly cities: ReadonlyMap<string, City>;
  /** County FIPS codes by ZIP, and by the start of a ZIP. */
  readonly zips: ReadonlyMap<string, ReadonlySet<string>>;
  readonly prefixes: readonly (readonly [prefix: string, countyFips: string])[];
  /** Name and state of each county, by FIPS code. */
  readonly countyNames: ReadonlyMap<string, string>;
}

const Place = z.object({
  city: z.string().nullable(),
  state: z.string(),
  zip: z.string().nullable(),
  county_fips: z.string().nullable(),
});
const Prefix = z.object({ zip_prefix: z.string(), county_fips: z.string() });
const County = z.object({ county_fips: z.string(), county: z.string() });

type PlaceRow = z.infer<typeof Place>;

function citiesOf(places: readonly PlaceRow[]): ReadonlyMap<string, City> {
  const cities = new Map<string, City>();
  for (const { city, state, county_fips } of places) {
    if (city === null) continue;
    const key = placeKey(city);
    const known = cities.get(key) ?? { states: new Set(), counties: new Set() };
    known.states.add(state);
    if (county_fips !== null) known.counties.add(county_fips);
    cities.set(key, known);
  }
  return cities;
}

function countiesByZip(places: readonly PlaceRow[]): ReadonlyMap<string, ReadonlySet<string>> {
  const zips = new Map<string, Set<string>>();
  for (const { zip, county_fips } of places) {
    if (zip !== null && county_fips !== null) zips.set(zip, (zips.get(zip) ?? new Set()).add(county_fips));
  }
  return zips;
}

export const knownPlaces = cachePerSnapshot(async (snapshot: Snapshot): Promise<KnownPlaces> => {
  const rows = z.array(Place).parse(snapshot.rows('SELECT city, state, zip, county_fips FROM record_places'));
  const prefixes = snapshot.rows('SELECT zip_prefix, county_fips FROM county_zips');
  const counties = snapshot.rows('SELECT county_fips, county FROM counties');
  return {
    cities: citiesOf(rows),
    zips: countiesByZip(rows),
    prefixes: z
      .array(Prefix)
      .parse(prefixes)
      .map(({ zip_prefix, county_fips }) => [zip_prefix, county_fips]),
    countyNames: new Map(
      z
        .array(County)
        .parse(counties)
        .map(({ county_fips, county }) => [county_fips, county]),
    ),
  };
});

/** A wanted city, ZIP or both. */
export interface WantedPlace {
  readonly city: string | undefined;
  readonly zip: string | undefined;
}

/**
 * Counties in which the place may be. None if neither its city nor its ZIP is known: a guess could attach a debt of
 * another county. With both known, only the counties that have both.
 */
export function countiesOf({ cities, zips, prefixes }: KnownPlaces, { city, zip }: WantedPlace): readonly string[] {
  if (city === undefined && zip === undefined) return [];
  const byCity = city === undefined ? undefined : cities.get(placeKey(city))?.counties;
  const ofPrefix = prefixes.flatMap(([prefix, county]) => (zip?.startsWith(prefix) === true ? [county] : []));
  const byZip = zip === undefined ? new Set<string>() : new Set([...(zips.get(zip) ?? []), ...ofPrefix]);
  if (byCity === undefined) return [...byZip];
  return byZip.size === 0 ? [...byCity] : [...byCity].filter((county) => byZip.has(county));
}

const DIRECTIONS: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' };

/** A city by a name that records have: "N Olmsted" is North Olmsted if only that is known. */
export function knownName({ cities }: KnownPlaces, city: string): string {
  const [first = '', ...rest] = placeKey(city).split(' ');
  const direction = DIRECTIONS[first];
  if (direction === undefined || cities.has(placeKey(city))) return city;
  const inFull = [direction, ...rest].join(' ');
  return cities.has(inFull) ? inFull : city;
}

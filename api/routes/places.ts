/** The places of a snapshot, from its table places: what filters, lookups, hints and counts know of a place. */
import type { RowOf } from '../../lib/record.ts';
import type { Place as PlaceRecord } from '../../models/marts/places.ts';
import { cachePerSnapshot } from '../serving/memo.ts';
import type { Filters } from '../serving/filters.ts';
import type { Snapshot } from '../serving/open.ts';
import { parseRecord } from '../serving/records.ts';
import { pause } from '../serving/slices.ts';

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

export type Place = RowOf<typeof PlaceRecord>;

/** The rows of the table: thousands, which are read in slices. */
export const placesOf = cachePerSnapshot(async (snapshot: Snapshot): Promise<readonly Place[]> => {
  const found: Place[] = [];
  for (const text of await snapshot.textsInSlices('places', snapshot.presentRows('places'))) {
    await pause();
    found.push(parseRecord(text) as Place);
  }
  return found;
});

interface City {
  readonly states: Set<string>;
  readonly counties: Set<string>;
}

export interface KnownPlaces {
  /** By the key of the name. */
  readonly cities: ReadonlyMap<string, City>;
  /** County FIPS codes by ZIP, and by the first digits of a ZIP. */
  readonly zips: ReadonlyMap<string, ReadonlySet<string>>;
  /** Name and state of each county, by FIPS code. */
  readonly countyNames: ReadonlyMap<string, string>;
}

export const knownPlaces = cachePerSnapshot(async (snapshot: Snapshot): Promise<KnownPlaces> => {
  const cities = new Map<string, City>();
  const zips = new Map<string, Set<string>>();
  const countyNames = new Map<string, string>();
  for (const { state, county_fips, county, city, zip } of await placesOf(snapshot)) {
    await pause();
    if (county_fips !== null && county !== null) countyNames.set(county_fips, county);
    if (county_fips !== null && zip !== null) zips.set(zip, (zips.get(zip) ?? new Set()).add(county_fips));
    if (city === null) continue;
    const known = cities.get(placeKey(city)) ?? { states: new Set(), counties: new Set() };
    known.states.add(state);
    if (county_fips !== null) known.counties.add(county_fips);
    cities.set(placeKey(city), known);
  }
  return { cities, zips, countyNames };
});

/** Number of cities of matching rows, ignoring case; a name in two states is two. */
export async function citiesOf(snapshot: Snapshot, filters: Filters): Promise<number> {
  const [cities, states] = [snapshot.column(filters.table, 'city'), snapshot.column(filters.table, 'state')];
  const rows = await snapshot.select(filters);
  return new Set(rows.map((row) => `${String(cities.at(row)).toLowerCase()}, ${String(states.at(row))}`)).size;
}

/** Digits of a ZIP that a county's own postal area has in common. */
const PREFIX_DIGITS = 3;

/** A wanted city, ZIP or both. */
export interface WantedPlace {
  readonly city: string | undefined;
  readonly zip: string | undefined;
}

/**
 * Counties in which the place may be. None if neither its city nor its ZIP is known: a guess could attach a debt of
 * another county. With both known, only the counties that have both.
 */
export function countiesOf({ cities, zips }: KnownPlaces, { city, zip }: WantedPlace): readonly string[] {
  if (city === undefined && zip === undefined) return [];
  const byCity = city === undefined ? undefined : cities.get(placeKey(city))?.counties;
  const byZip = new Set([zip, zip?.slice(0, PREFIX_DIGITS)].flatMap((part) => [...(zips.get(part ?? '') ?? [])]));
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

/**
 * The counties in which a city or a ZIP is known to be: by the records and listings of the snapshot, and by the ZIPs of
 * the counties read here (models/reference/county_zips.csv).
 */
import { z } from 'zod';
import { cachePerSnapshot } from '../../snapshot/memo.ts';
import type { Snapshot } from '../../snapshot/load.ts';

type Counties = ReadonlySet<string>;

/** County FIPS codes by city in lower case, by ZIP, and by the start of a ZIP. */
interface KnownPlaces {
  readonly cities: ReadonlyMap<string, Counties>;
  readonly zips: ReadonlyMap<string, Counties>;
  readonly prefixes: readonly (readonly [prefix: string, countyFips: string])[];
}

const Place = z.object({ city: z.string().nullable(), zip: z.string().nullable(), county_fips: z.string() });
const Prefix = z.object({ zip_prefix: z.string(), county_fips: z.string() });

const PLACES = `SELECT DISTINCT lower(city) AS city, zip, county_fips
  FROM (
    SELECT city, zip, county_fips FROM signals
    UNION ALL
    SELECT city, zip, county_fips FROM auctions
    UNION ALL
    SELECT city, zip, county_fips FROM deals JOIN ref_county_zips ON starts_with(zip, zip_prefix)
  )`;

const knownPlaces = cachePerSnapshot(async (snapshot): Promise<KnownPlaces> => {
  const places = z.array(Place).parse(await snapshot.rows(PLACES));
  const prefixes = z.array(Prefix).parse(await snapshot.rows('SELECT zip_prefix, county_fips FROM ref_county_zips'));
  const countiesBy = (key: (place: z.infer<typeof Place>) => string | null): ReadonlyMap<string, Counties> => {
    const counties = new Map<string, Set<string>>();
    for (const place of places) {
      const name = key(place);
      if (name !== null) counties.set(name, (counties.get(name) ?? new Set()).add(place.county_fips));
    }
    return counties;
  };
  return {
    cities: countiesBy(({ city }) => city),
    zips: countiesBy(({ zip }) => zip),
    prefixes: prefixes.map(({ zip_prefix, county_fips }) => [zip_prefix, county_fips]),
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
export async function countiesOf(snapshot: Snapshot, { city, zip }: WantedPlace): Promise<readonly string[]> {
  if (city === undefined && zip === undefined) return [];
  const { cities, zips, prefixes } = await knownPlaces(snapshot);
  const byCity = city === undefined ? undefined : cities.get(city.toLowerCase());
  const ofPrefix = prefixes.flatMap(([prefix, county]) => (zip?.startsWith(prefix) === true ? [county] : []));
  const byZip = zip === undefined ? new Set<string>() : new Set([...(zips.get(zip) ?? []), ...ofPrefix]);
  if (byCity === undefined) return [...byZip];
  return byZip.size === 0 ? [...byCity] : [...byCity].filter((county) => byZip.has(county));
}

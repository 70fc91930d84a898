/**
 * Addresses near one that matches nothing: the same number on a street of a similar name, then other numbers of the
 * street, in the wanted place. Only addresses that the sold lists print; leads are not read.
 */
import type { DuckDBValue } from '@duckdb/node-api';
import { z } from 'zod';
import { columnOrNull } from '../../snapshot/addresses.ts';
import { Filters } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/load.ts';
import { currentSignals } from '../signals.ts';
import { compareWith, SECTIONS, TABLE_OF, type LookupKey, type Section } from './matches.ts';
import { placeKey, type KnownPlaces } from './places.ts';

/** Most suggestions of a response. */
const MAX_SUGGESTIONS = 5;
/** Nearest rows of a table that are compared with the place. */
const MAX_COMPARED = 50;
/** Least similarity of two street names, 0 to 1: MIAN ST and MAIN ST have 0.96. */
const MIN_SIMILARITY = 0.9;

export const Suggestion = z.strictObject({
  address: z.string().meta({ description: 'Street address as the list prints it.' }),
  city: z.string().nullable().meta({ description: 'Null when: the list has no city for it.' }),
  state: z.string(),
  zip: z.string().nullable().meta({ description: 'Null when: the list has no ZIP for it.' }),
  found_in: z.array(z.enum(SECTIONS)).meta({ description: 'Lists with a record at this address.' }),
});
type Suggestion = z.infer<typeof Suggestion>;

const Near = z.object({
  section: z.enum(SECTIONS),
  address_key: z.string(),
  address: z.string(),
  city: z.string().nullable(),
  state: z.string(),
  zip: z.string().nullable(),
  city_basis: z.string().nullable(),
  county_fips: z.string().nullable(),
  distance: z.number(),
});
type Near = z.infer<typeof Near>;

/** Spellings of a city in the records, in lower case. */
const namesOf = ({ cities }: KnownPlaces, city: string): readonly string[] => [
  ...(cities.get(placeKey(city))?.names ?? []),
];

/** The conditions of a feed as SQL, with their parameters. */
function feedConditions(section: Section, state: string | undefined, values: DuckDBValue[]): string[] {
  const feed = section === 'signals' ? currentSignals() : new Filters(TABLE_OF[section]);
  return feed.and('state', '=', state).sql().conditionsAfter(values);
}

/** SELECT of the nearest addresses of one table, with the parameters. */
function nearSql(
  section: Section,
  { parts, place }: LookupKey,
  { known, values }: { readonly known: KnownPlaces; readonly values: DuckDBValue[] },
): string {
  const table = TABLE_OF[section];
  const parameter = (value: DuckDBValue): string => `$${values.push(value)}`;
  const street = `CAST(${parameter(parts?.street_key ?? '')} AS VARCHAR)`;
  const house = `CAST(${parameter(parts?.house_low ?? null)} AS INTEGER)`;
  const similarity = `jaro_winkler_similarity(street_key, ${street})`;
  // Similar, or the same except for a missing suffix or a city that was read as part of the street.
  const isAlike =
    `(${similarity} >= ${MIN_SIMILARITY} OR starts_with(street_key, ${street} || ' ')` +
    ` OR starts_with(${street}, street_key || ' '))`;
  const conditions = [
    'address_key IS NOT NULL',
    `(street_key = ${street} OR (house_low = ${house} AND ${isAlike}))`,
    ...feedConditions(section, place.state, values),
  ];
  // Wider than the rule on places, which is applied to the rows afterwards.
  const cities = place.city === undefined ? [] : namesOf(known, place.city);
  const places = [
    ...(place.zip === undefined ? [] : [`zip = ${parameter(place.zip)}`]),
    ...cities.map((name) => `lower(city) = ${parameter(name)}`),
    ...(section === 'listings' ? [] : place.counties.map((county) => `county_fips = ${parameter(county)}`)),
  ];
  if (place.city !== undefined || place.zip !== undefined) conditions.push(`(${['false', ...places].join(' OR ')})`);
  const address = section === 'auctions' ? 'property_address' : 'address';
  // Below 1: another street. A street's other numbers follow by their distance.
  const distance = `CASE WHEN street_key = ${street} THEN 1 + coalesce(abs(house_low - ${house}), 0)
    ELSE 1 - ${similarity} END`;
  const others = ['city', 'state', 'zip', 'city_basis', 'county_fips'].map((name) => columnOrNull(table, name));
  return `(SELECT '${section}' AS section, address_key, ${address} AS address, ${others.join(', ')},
      CAST(${distance} AS DOUBLE) AS distance
    FROM ${table} WHERE ${conditions.join(' AND ')}
    ORDER BY distance, id LIMIT ${MAX_COMPARED})`;
}

/** Up to five addresses near the wanted one, the nearest first. */
export async function suggestionsFor(snapshot: Snapshot, key: LookupKey, known: KnownPlaces): Promise<Suggestion[]> {
  if (key.parts === null) return [];
  const values: DuckDBValue[] = [];
  const sql = SECTIONS.map((section) => nearSql(section, key, { known, values })).join(' UNION ALL ');
  const near = z.array(Near).parse(await snapshot.rows(sql, values));
  const places = await compareWith(snapshot, { parts: null, place: key.place }, near);
  const here = near.filter((_, i) => places[i]?.isHere).toSorted((a, b) => a.distance - b.distance);
  const suggestions = new Map<string, Suggestion>();
  for (const { section, address_key, address, city, state, zip } of here) {
    const name = [address_key, city === null ? '' : placeKey(city), zip ?? ''].join('|');
    const listed = suggestions.get(name);
    if (listed?.found_in.includes(section) === false) listed.found_in.push(section);
    if (!listed && suggestions.size < MAX_SUGGESTIONS)
      suggestions.set(name, { address, city, state, zip, found_in: [section] });
  }
  return [...suggestions.values()];
}

/** The place filters of the lists of properties: state, city, county and ZIP. */
import { Problem } from '../../http/problem.ts';
import type { Filters } from '../../serving/filters.ts';
import { cachePerSnapshot } from '../../serving/memo.ts';
import type { Snapshot } from '../../serving/open.ts';
import { knownPlaces } from '../lookup/places.ts';
import { stateParam, textParam, zipParam, type ParamValues } from '../params.ts';

/**
 * Place filters. A record without a city or a ZIP matches no city and no ZIP. The parameters of a published interface
 * keep their order: a route names its oldest ones first and appends the others.
 */
export const placeFilters = {
  state: stateParam('State of the property.'),
  city: textParam('City of the property, full name, ignoring case.'),
  county: textParam('Part of the county name, ignoring case.'),
  zip: zipParam('ZIP of the property.'),
};

/** The place filters of a request. */
export type Place = ParamValues<typeof placeFilters>;

/** Rows in this place, of a table that has the name of the county. */
export const inPlace = (filters: Filters, { state, city, county, zip }: Place): Filters =>
  filters.and('state', '=', state).like('city', city).containing('county', county).and('zip', '=', zip);

/** Counties whose ZIPs are known, by FIPS code: name and state. */
export const countiesWithZips = cachePerSnapshot(async (snapshot: Snapshot): Promise<ReadonlyMap<string, string>> => {
  const { prefixes, countyNames } = await knownPlaces(snapshot);
  const found = new Set(prefixes.map(([, county]) => county));
  return new Map([...countyNames].filter(([county]) => found.has(county)));
});

/** FIPS codes of the counties whose name contains this text, of those whose ZIPs are known. */
async function countiesNamed(snapshot: Snapshot, name: string): Promise<readonly string[]> {
  const text = name.toLowerCase();
  return [...(await countiesWithZips(snapshot))]
    .filter(([, county]) => county.toLowerCase().includes(text))
    .map(([code]) => code);
}

/**
 * Rows in this place, of a table without counties, such as deals: the ZIP says in which counties a row may be.
 * @param county ignored here if `checkCountyByZip` refuses it
 */
export async function inPlaceByZip(
  filters: Filters,
  { county, ...place }: Place,
  snapshot: Snapshot,
): Promise<Filters> {
  const found = inPlace(filters, place);
  return county === undefined
    ? found
    : found.either({ column: 'zip', is: 'of a county', values: await countiesNamed(snapshot, county) });
}

/**
 * Refuse a county by which no row without a county can be found.
 * @throws Problem with the names of the counties whose ZIPs are known
 */
export async function checkCountyByZip(snapshot: Snapshot, { county }: Place): Promise<void> {
  if (county === undefined || (await countiesNamed(snapshot, county)).length > 0) return;
  throw new Problem(
    'invalid_parameter',
    `county is ${JSON.stringify(county.slice(0, 100))}. Listings are placed in a county by their ZIP, and the ZIPs ` +
      'of no county of this name are known. Use city or zip.',
    {
      field: 'county',
      value: county.slice(0, 100),
      accepted: [...(await countiesWithZips(snapshot)).values()].sort(),
    },
  );
}

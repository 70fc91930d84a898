/**
 * Addresses near one that matches nothing, among the fifty deals of /api/deals/ids: the same number on a street of a
 * similar name, then other numbers of the street, in the wanted place. A miss is free: nothing sold is in it.
 */
import { z } from 'zod';
import type { Snapshot } from '../../snapshot/load.ts';
import { freeIndex } from '../deals.ts';
import { compareWith, type LookupKey } from './matches.ts';

/** Most suggestions of a response. */
const MAX_SUGGESTIONS = 5;
/** Least similarity of two street names, 0 to 1: MIAN ST and MAIN ST have 0.96. */
const MIN_SIMILARITY = 0.9;

export const Suggestion = z.strictObject({
  address: z.string().meta({ description: 'Street address of a deal of /api/deals/ids.' }),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
});
type Suggestion = z.infer<typeof Suggestion>;

/** Similar, or the same except for a missing suffix or a city that was read as part of the street. */
const IS_ALIKE = `(similarity >= ${MIN_SIMILARITY} OR starts_with(street_key, street || ' ')
  OR starts_with(street, street_key || ' '))`;

/** Up to five addresses near the wanted one, the nearest first: another street, then numbers of the same street. */
export async function suggestionsFor(snapshot: Snapshot, { parts, place }: LookupKey): Promise<Suggestion[]> {
  if (parts === null) return [];
  const index = freeIndex();
  const at = index.values.length;
  const near = await snapshot.rows(
    `WITH wanted AS (SELECT CAST($${at + 1} AS VARCHAR) AS street, CAST($${at + 2} AS INTEGER) AS house),
    free AS (SELECT address, city, state, zip, street_key, house_low FROM deals ${index}),
    compared AS (SELECT *, jaro_winkler_similarity(street_key, street) AS similarity FROM free, wanted)
    SELECT address, city, state, zip FROM compared
    WHERE address IS NOT NULL AND (street_key = street OR (house_low = house AND ${IS_ALIKE}))
    ORDER BY street_key = street, -similarity, abs(house_low - house), address, zip`,
    [...index.values, parts.street_key, parts.house_low],
  );
  const found = z.array(Suggestion).parse(near);
  const compared = found.map((one) => ({ ...one, city_basis: null, county_fips: null }));
  const places = await compareWith(snapshot, { parts: null, place }, compared);
  return found.filter((_, i) => places[i]?.isHere).slice(0, MAX_SUGGESTIONS);
}

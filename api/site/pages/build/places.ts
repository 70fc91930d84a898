/**
 * Places to choose from in the query builder. Leads and owners offer the places of public records, so that a choice
 * does not disclose where a lead is sold.
 */
import type { Snapshot } from '../../../serving/open.ts';
import { placesOf } from '../../../routes/places.ts';
import type { ListRoute } from '../../../routes/list/route.ts';

export interface PlaceChoices {
  readonly states: readonly string[];
  /** Counties by metro; those of no metro have an empty name. */
  readonly counties: ReadonlyMap<string, readonly string[]>;
  readonly cities: readonly string[];
  readonly zips: readonly string[];
}

/** Most cities and ZIPs to choose from; others can be typed. */
const MAX_CHOICES = 250;

const sorted = (values: readonly (string | null)[]): string[] =>
  [...new Set(values)].filter((value) => value !== null).sort();

/** Choices of a list, within the state and the county that are chosen; null if the list has no places. */
export async function placeChoices(
  route: ListRoute,
  snapshot: Snapshot,
  chosen: { readonly state?: string | undefined; readonly county?: string | undefined },
): Promise<PlaceChoices | null> {
  if (!Object.hasOwn(route.params, 'county')) return null;
  const ofDeals = route.path.startsWith('/api/deals');
  const all = (await placesOf(snapshot)).filter((place) => (ofDeals ? place.has_listings : place.has_records));
  const state = chosen.state?.toUpperCase();
  const inState = all.filter((place) => state === undefined || state === '' || place.state === state);
  const county = chosen.county?.toLowerCase() ?? '';
  const inCounty = inState.filter((place) => county === '' || place.county?.toLowerCase().includes(county));
  const byMetro = [...Map.groupBy(inState, ({ metro }) => metro ?? '')];
  return {
    states: sorted(all.map((place) => place.state)),
    counties: new Map(
      byMetro
        .map(([metro, places]) => [metro, sorted(places.map((place) => place.county))] as const)
        .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1)),
    ),
    cities: sorted(inCounty.map((place) => place.city)).slice(0, MAX_CHOICES),
    zips: sorted(inCounty.map((place) => place.zip)).slice(0, MAX_CHOICES),
  };
}

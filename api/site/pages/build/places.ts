/**
 * Places to choose from in the query builder, from the records of the snapshot. Leads and owners offer the places of
 * public records, so that a choice does not disclose where a lead is sold.
 */
import { activeDeals } from '../../../routes/deals.ts';
import { Filters } from '../../../serving/filters.ts';
import { cachePerSnapshot } from '../../../serving/memo.ts';
import type { Snapshot } from '../../../serving/open.ts';
import { countiesWithZips } from '../../../routes/list/place.ts';
import type { ListRoute } from '../../../routes/list/route.ts';

export interface Place {
  readonly state: string;
  readonly county: string | null;
  readonly city: string | null;
  readonly zip: string | null;
}

export interface PlaceChoices {
  readonly states: readonly string[];
  /** Counties by metro; those of no metro have an empty name. */
  readonly counties: ReadonlyMap<string, readonly string[]>;
  readonly cities: readonly string[];
  readonly zips: readonly string[];
}

/** Most cities and ZIPs to choose from; others can be typed. */
const MAX_CHOICES = 250;

/** Each place of the rows that match, once. */
async function placesOf(snapshot: Snapshot, filters: Filters): Promise<Place[]> {
  const [state, county, city, zip] = ['state', 'county', 'city', 'zip'].map((name) => {
    const column = snapshot.column(filters.table, name);
    return (row: number): string | null => {
      const value = column.at(row);
      return value === null ? null : String(value);
    };
  });
  const places = new Map<string, Place>();
  for (const row of await snapshot.select(filters)) {
    const place = {
      state: state?.(row) ?? '',
      county: county?.(row) ?? null,
      city: city?.(row) ?? null,
      zip: zip?.(row) ?? null,
    };
    places.set(JSON.stringify(place), place);
  }
  return [...places.values()];
}

const placesOfDeals = cachePerSnapshot((snapshot) => placesOf(snapshot, activeDeals()));
const placesOfRecords = cachePerSnapshot(async (snapshot) => [
  ...(await placesOf(snapshot, new Filters('signals'))),
  ...(await placesOf(snapshot, new Filters('auctions'))),
]);

/** Metro of each county, if known. */
const metroByCounty = cachePerSnapshot(async (snapshot): Promise<ReadonlyMap<string, string>> => {
  return new Map(
    snapshot
      .all('coverage')
      .flatMap(({ metro, counties }) =>
        (counties as readonly { readonly county?: string }[]).flatMap(({ county }) =>
          county === undefined ? [] : [[county, String(metro)] as const],
        ),
      ),
  );
});

const sorted = (values: readonly (string | null)[]): string[] =>
  [...new Set(values.filter((value) => value !== null && value !== ''))].sort() as string[];

/** Choices of a list, within the state and the county that are chosen; null if the list has no places. */
export async function placeChoices(
  route: ListRoute,
  snapshot: Snapshot,
  chosen: { readonly state?: string | undefined; readonly county?: string | undefined },
): Promise<PlaceChoices | null> {
  if (!Object.hasOwn(route.params, 'county')) return null;
  const all = await (route.path.startsWith('/api/deals') ? placesOfDeals(snapshot) : placesOfRecords(snapshot));
  const state = chosen.state?.toUpperCase();
  const inState = all.filter((place) => state === undefined || state === '' || place.state === state);
  const county = chosen.county?.toLowerCase() ?? '';
  const inCounty = inState.filter((place) => county === '' || place.county?.toLowerCase().includes(county));
  const metros = await metroByCounty(snapshot);
  // The call places a listing in a county by its ZIP, and refuses other counties.
  const known = route.path.startsWith('/api/deals') ? [...(await countiesWithZips(snapshot)).values()] : null;
  const counties = sorted(inState.map((place) => place.county)).filter((name) => known?.includes(name) ?? true);
  return {
    states: sorted(all.map((place) => place.state)),
    counties: new Map(
      [...Map.groupBy(counties, (name) => metros.get(name) ?? '')].sort(([a], [b]) =>
        a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1,
      ),
    ),
    cities: sorted(inCounty.map((place) => place.city)).slice(0, MAX_CHOICES),
    zips: sorted(inCounty.map((place) => place.zip)).slice(0, MAX_CHOICES),
  };
}

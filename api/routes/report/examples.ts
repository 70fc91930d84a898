/** Deals whose reports are shown as examples. */
import { freeDeals } from '../deals.ts';
import type { RouteRequest } from '../define.ts';
import type { Params } from '../params.ts';

type Row = Readonly<Record<string, unknown>>;

export function propertyOf({ address, city, state, zip }: Row): string {
  const street = address === null ? 'Street not published' : String(address);
  return `${street}, ${String(city)}, ${String(state)} ${String(zip)}`;
}

/** Deals with the most complete reports: underwritten and with an offer, distress first, then by score. */
export async function exampleDeals(
  { snapshot, claims }: Pick<RouteRequest<Params>, 'snapshot' | 'claims'>,
  limit: number,
): Promise<{ id: string; property: string }[]> {
  const where = freeDeals(await claims()).sql();
  const found = await snapshot.recordFields(
    'deals',
    ['id', 'address', 'city', 'state', 'zip'],
    `${where}
    ORDER BY (offer_status = 'computed' AND dscr_status = 'computed') DESC,
      (json_array_length(distress_matches) > 0) DESC, deal_score DESC, id
    LIMIT ${limit}`,
    where.values,
  );
  return found.map((deal) => ({ id: String(deal['id']), property: propertyOf(deal) }));
}

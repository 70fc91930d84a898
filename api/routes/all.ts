/** Every route, in the order of /api/meta and OpenAPI. */
import type { Route } from './define.ts';
import { count, placeIndex } from './count/count.ts';
import { feeds } from './changes/daily.ts';
import { coverage } from './coverage.ts';
import { dealCards, dealIds, deals, hotDeals } from './deals.ts';
import { filingLists, filings, recentFilings, REGISTERS, weeklyCsv } from './filings.ts';
import { exclusive, leads } from './leads/leads.ts';
import { lookup } from './lookup/lookup.ts';
import { metaRoute, registerMeta, type RouteOptions } from './meta.ts';
import { auctions, owners, signals } from './public_records.ts';
import { purchaseUrl } from './purchases.ts';
import { reportRoutes } from './report.ts';

const filingsByRegister = REGISTERS.map((register) => ({ register, lists: filingLists(register) }));

export function allRoutes(options: RouteOptions): readonly Route[] {
  // The discovery routes list all routes, including themselves.
  const routes: Route[] = [];
  routes.push(
    metaRoute({ routes, ...options }),
    dealIds,
    coverage,
    count(options),
    placeIndex,
    ...feeds(options),
    lookup,
    deals,
    dealCards,
    hotDeals,
    ...reportRoutes(options),
    signals,
    auctions,
    leads,
    exclusive((id) => purchaseUrl(options.publicUrl, id)),
    owners,
    recentFilings,
    filings,
    weeklyCsv(),
    ...filingsByRegister.flatMap(({ register, lists }) => [
      registerMeta(register, { routes, ...options }),
      ...lists,
      weeklyCsv(register),
    ]),
  );
  return routes;
}

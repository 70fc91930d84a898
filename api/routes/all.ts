/** Every route that is served, in the order in which they are announced. */
import type { Route } from './define.ts';
import { auctions } from './auctions.ts';
import { dealCards, dealIds, deals, hotDeals } from './deals.ts';
import { exclusive } from './exclusive.ts';
import { filingLists, REGISTERS } from './filings.ts';
import { leads } from './leads.ts';
import { lookup } from './lookup.ts';
import { metaRoute } from './meta.ts';
import { purchaseUrl } from './purchases.ts';
import { registerMeta } from './register_meta.ts';
import { reportRoutes } from './report/report.ts';
import { signals } from './signals.ts';
import { weeklyCsv } from './weekly_csv.ts';

export interface RouteOptions {
  readonly publicUrl: string;
  /** Folder in which large answers are made whole before they are sold. */
  readonly spoolDir: string;
  /** Said where payments are not in real money. */
  readonly paymentNotice?: string;
}

export function allRoutes(options: RouteOptions): readonly Route[] {
  // The discovery routes name all of them, themselves too.
  const routes: Route[] = [];
  routes.push(
    metaRoute({ routes, ...options }),
    dealIds,
    lookup,
    deals,
    dealCards,
    hotDeals,
    ...reportRoutes(options),
    signals,
    auctions,
    leads,
    exclusive((id) => purchaseUrl(options.publicUrl, id)),
    ...filingLists(),
    weeklyCsv(options.spoolDir),
    ...REGISTERS.flatMap((register) => [
      registerMeta(register, { routes, ...options }),
      ...filingLists(register),
      weeklyCsv(options.spoolDir, register),
    ]),
  );
  return routes;
}

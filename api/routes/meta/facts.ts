/** Parts of every discovery document: sources, prices, and notes on the fields. */
import type { z } from 'zod';
import { BASE, type Network } from '../../../lib/network.ts';
import type { ServedManifest } from '../../../models/manifest.ts';
import type { Source } from '../../../models/marts/sources.ts';
import { noteOf, type RecordDefinition } from '../../../lib/record.ts';
import type { Snapshot } from '../../serving/open.ts';
import { templateOf, type Route } from '../define.ts';
import { priceText } from '../../../lib/prices.ts';
import type { SourceStatus } from './schema.ts';

/** Version of the interface. */
export const INTERFACE_VERSION = '1.0.0';

export interface MetaOptions {
  /** Every route of the server. */
  readonly routes: readonly Route[];
  readonly publicUrl: string;
  /** Where payments are taken. Default: Base. */
  readonly network?: Network;
  /** Shown if payments are in test money. */
  readonly paymentNotice?: string | undefined;
}

/** Mean of the percentages in a text such as "units 95, noi 35", or null. */
function meanRate(rates: unknown): number | null {
  const all = [...String(rates ?? '').matchAll(/ (\d+)(?:,|$)/gu)].map(([, pct]) => Number(pct));
  return all.length === 0 ? null : Math.round(all.reduce((sum, pct) => sum + pct, 0) / all.length);
}

/** Made-up data and test money. */
export function noticeOf(manifest: ServedManifest, paymentNotice = ''): { notice?: string } {
  const notice = [manifest.notice, paymentNotice].filter(Boolean).join(' ');
  return notice === '' ? {} : { notice };
}

/** Status of every source. */
export const sourcesOf = (snapshot: Snapshot): z.infer<typeof SourceStatus>[] =>
  (snapshot.all('sources') as z.infer<typeof Source.schema>[]).map((row) => ({
    source: row.source,
    title: row.title,
    home: row.home,
    status: row.status,
    freshness: row.freshness,
    stale_reason: row.stale_reason,
    fiscal_year: row.fiscal_year,
    every_days: row.every_days,
    last_good_at: row.last_good_at,
    rows: row.rows_out,
    rows_in: row.rows_in,
    rows_stated: row.rows_stated,
    missing_fields: row.missing_fields,
    missing_since: row.missing_since,
    filled_pct: meanRate(row.fill_rates),
  }));

/** Price of every route, with the protocol and the network. */
export const pricingOf = (routes: readonly Route[], { name: network }: Network = BASE): Record<string, string> => ({
  ...Object.fromEntries(routes.map((route) => [`GET ${templateOf(route)}`, priceText(route)])),
  protocol: 'x402 version 2',
  network,
});

/** Notes on the fields of a record: the values of an enum that is never null, else a sentence. */
export const fieldNotesOf = (record: RecordDefinition, prefix: string): [string, string | string[]][] =>
  record.columns.map((column) => [
    prefix + column.name,
    column.values !== undefined && column.absent === undefined ? [...column.values] : noteOf(column),
  ]);

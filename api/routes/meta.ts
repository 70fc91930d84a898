/** Discovery: what there is, how fresh it is, what it costs, and samples. Everything is read from the snapshot that serves. */
import { z } from 'zod';
import { noteOf as fieldNote, type RecordDefinition } from '../../lib/record.ts';
import { Auction } from '../../models/marts/auctions.ts';
import { Deal } from '../../models/marts/deals.ts';
import { Lead } from '../../models/marts/leads.ts';
import { Signal } from '../../models/marts/signals.ts';
import { nameOf, unclaimed, type Claimed } from './lead_claims.ts';
import { Where } from '../snapshot/filters.ts';
import { NETWORK } from '../../lib/network.ts';
import { oncePerDay } from '../snapshot/memo.ts';
import { defineRoute, templateOf, type Asked, type Route } from './define.ts';
import type { Snapshot } from '../snapshot/load.ts';
import { TABLES } from '../snapshot/tables.ts';
import { auctions, upcoming } from './auctions.ts';
import { deals } from './deals.ts';
import { available, leads } from './leads.ts';
import { EXAMPLE_PATH, exampleDeals } from './report/report.ts';
import { signals, standing } from './signals.ts';

const timestamp = z.iso.datetime().nullable();

/** Version of the interface, as both specifications count it. */
export const INTERFACE_VERSION = '1.0.0';

/** How a source does, for buyers. */
export const SourceStatus = z.strictObject({
  source: z.string(),
  title: z.string(),
  home: z.string(),
  status: z.string(),
  freshness: z.string(),
  every_days: z.int(),
  last_good_at: timestamp,
  rows: z.int(),
});
const filterList = z.array(z.string());

export const Meta = z.strictObject({
  name: z.string(),
  description: z.string(),
  guarantee: z.string(),
  interface_version: z.string(),
  /** Said only where the data or the money are not real. */
  notice: z.string().optional(),
  coverage: z.strictObject({
    total_records: z.int(),
    active_records: z.int(),
    hot: z.int(),
    warm: z.int(),
    dscr_computed: z.int(),
    cities: z.int(),
    freshest_verification: timestamp,
    oldest_active_verification: timestamp,
  }),
  refresh_cadence: z.string(),
  pricing: z.record(z.string(), z.string()),
  record_schema_notes: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  filters: z.strictObject({ note: z.string(), params: filterList, example: z.string() }),
  signals_feed: z.strictObject({
    note: z.string(),
    coverage: z.strictObject({ total_signals: z.int(), with_address: z.int(), counties: z.int(), freshest: timestamp }),
    filters: filterList,
  }),
  auctions_feed: z.strictObject({
    note: z.string(),
    coverage: z.strictObject({
      upcoming_sales: z.int(),
      next_sale_date: z.iso.date().nullable(),
      furthest_sale_date: z.iso.date().nullable(),
      counties: z.int(),
      freshest: timestamp,
    }),
    filters: filterList,
  }),
  leads_feed: z.strictObject({
    note: z.string(),
    coverage: z.strictObject({ available_leads: z.int(), counties: z.int() }),
    filters: filterList,
  }),
  free_samples: z.strictObject({
    note: z.string(),
    deals: z.array(Deal.schema),
    signals: z.array(Signal.schema),
    auctions: z.array(Auction.schema),
    leads: z.array(Lead.schema),
  }),
  /** Property is null where there is no active deal. */
  example_report: z.strictObject({ note: z.string(), url: z.string(), property: z.string().nullable() }),
  sources: z.array(SourceStatus),
  assumptions: z.strictObject({ assumption_set_id: z.string(), values: z.record(z.string(), z.string()) }),
  as_of: z.iso.date(),
  snapshot_id: z.string(),
  generated_at: z.iso.datetime(),
});

/** How every source does, or those the condition names. */
export async function sourcesOf(snapshot: Snapshot, where = new Where()): Promise<z.infer<typeof SourceStatus>[]> {
  return (await snapshot.whole('sources', `${where} ORDER BY source`, where.values)).map((r) => ({
    source: String(r['source']),
    title: String(r['title']),
    home: String(r['home']),
    status: String(r['status']),
    freshness: String(r['freshness']),
    every_days: count(r['every_days']),
    last_good_at: r['last_good_at'] === null ? null : String(r['last_good_at']),
    rows: count(r['rows_out']),
  }));
}

/** Price of every route by its name, with the protocol and the network. */
export const pricingOf = (routes: readonly Route[]): Record<string, string> => ({
  ...Object.fromEntries(routes.map((r) => [`GET ${templateOf(r)}`, r.price === null ? 'free' : `$${r.price}`])),
  protocol: 'x402 version 2',
  network: NETWORK,
});

/** A null, or an instant as records carry it. */
const instantOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : `${String(value).slice(0, 19).replace(' ', 'T')}Z`;
export const count = (value: unknown): number => Number(value ?? 0);

/** The one row of a query. */
export async function one(snapshot: Snapshot, sql: string, where = new Where()): Promise<Record<string, unknown>> {
  return (await snapshot.rows(sql, where.values))[0] ?? {};
}

/** Notes of a record's fields: the accepted values of an enum that is never null, a sentence for everything else. */
export const notesOf = (record: RecordDefinition, prefix: string): [string, string | string[]][] =>
  record.columns.map((c) => [
    prefix + c.name,
    c.values !== undefined && c.absent === undefined ? [...c.values] : fieldNote(c),
  ]);

async function coverageOf({ snapshot, today }: Asked<Record<never, never>>, claimed: Claimed) {
  const d = await one(
    snapshot,
    `SELECT count(*) AS total, count(*) FILTER (WHERE active) AS active,
      count(*) FILTER (WHERE active AND rental_status = 'Hot') AS hot, count(*) FILTER (WHERE active AND rental_status = 'Warm') AS warm,
      count(*) FILTER (WHERE active AND dscr_status = 'computed') AS computed, count(DISTINCT (lower(city), state)) FILTER (WHERE active) AS cities,
      max(last_verified) FILTER (WHERE active) AS freshest, min(last_verified) FILTER (WHERE active) AS oldest
    FROM (SELECT *, listing_status = 'active' AS active FROM deals)`,
  );
  const listed = standing().sql();
  const s = await one(
    snapshot,
    `SELECT count(*) AS total, count(*) FILTER (WHERE has_address) AS with_address, count(DISTINCT county) AS counties, max(last_seen) AS freshest FROM signals${listed}`,
    listed,
  );
  const coming = upcoming(today).sql();
  const a = await one(
    snapshot,
    `SELECT count(*) AS total, min(sale_date) AS next, max(sale_date) AS furthest, count(DISTINCT county) AS counties, max(last_seen) AS freshest FROM auctions${coming}`,
    coming,
  );
  const sellable = unclaimed(available(today), claimed).sql();
  const l = await one(
    snapshot,
    `SELECT count(*) AS total, count(DISTINCT county) AS counties FROM leads${sellable}`,
    sellable,
  );
  return { d, s, a, l };
}

/** Full records, free. Of leads the one that ranks last, so that the best are left for buyers. */
async function samplesOf({ snapshot, today }: Asked<Record<never, never>>, claimed: Claimed) {
  const coming = upcoming(today).sql();
  const sellable = unclaimed(available(today), claimed).sql();
  const listed = standing().sql();
  return {
    deals: await snapshot.whole('deals', "WHERE listing_status = 'active' ORDER BY deal_score DESC, id LIMIT 1"),
    signals: await snapshot.whole(
      'signals',
      `${listed} ORDER BY has_address DESC, amount NULLS LAST, id LIMIT 1`,
      listed.values,
    ),
    auctions: await snapshot.whole('auctions', `${coming} ORDER BY sale_date, id LIMIT 1`, coming.values),
    leads: await snapshot.whole('leads', `${sellable} ORDER BY lead_score, id LIMIT 1`, sellable.values),
  };
}

export interface MetaOptions {
  /** Every route that is served. */
  readonly routes: readonly Route[];
  readonly publicUrl: string;
  /** Said where payments are not in real money. */
  readonly paymentNotice?: string;
}

/** The discovery route over `routes`. */
export function metaRoute({ routes, publicUrl, paymentNotice }: MetaOptions): Route {
  const make = async (asked: Asked<Record<never, never>>): Promise<z.input<typeof Meta>> => {
    const { snapshot, manifest } = asked;
    const claimed = await asked.claims();
    const { d, s, a, l } = await coverageOf(asked, claimed);
    const assumptions = await snapshot.whole('assumptions', 'ORDER BY key');
    const notice = [manifest.notice, paymentNotice ?? ''].filter(Boolean).join(' ');
    return {
      name: 'Dealfeed',
      interface_version: INTERFACE_VERSION,
      description:
        'Deal-level records of small US multifamily listings in 20 metros with typed underwriting and three-path scores; county tax-delinquency signals, sheriff sales, off-market leads and new business registrations, from public pages. Paid per call with x402.',
      guarantee:
        'Every field is typed, every absent value carries a typed reason, and a filtered paid query with zero matches answers 404 with a typed reason and is not billed.',
      ...(notice === '' ? {} : { notice }),
      coverage: {
        total_records: count(d['total']),
        active_records: count(d['active']),
        hot: count(d['hot']),
        warm: count(d['warm']),
        dscr_computed: count(d['computed']),
        cities: count(d['cities']),
        freshest_verification: instantOf(d['freshest']),
        oldest_active_verification: instantOf(d['oldest']),
      },
      refresh_cadence:
        'Listings daily; underwriting at least every 2 days; county lists and sheriff calendars as often as sources says; the Colorado register daily; the Ohio register on the second Saturday of each month.',
      pricing: pricingOf(routes),
      record_schema_notes: Object.fromEntries([
        ...notesOf(TABLES.deals, ''),
        ...notesOf(TABLES.signals, 'signals.'),
        ...notesOf(TABLES.auctions, 'auctions.'),
        ...notesOf(TABLES.leads, 'leads.'),
        ...notesOf(TABLES.filings, 'filings.'),
      ]),
      filters: {
        note: 'Filters of /api/deals, AND-combined. Unknown parameters are refused. What matches nothing is not billed.',
        params: Object.keys(deals.params),
        example: `${publicUrl}/api/deals?state=OH&min_cap=7&status=Hot`,
      },
      signals_feed: {
        note: 'County tax-delinquency records, ranked by amount.',
        coverage: {
          total_signals: count(s['total']),
          with_address: count(s['with_address']),
          counties: count(s['counties']),
          freshest: instantOf(s['freshest']),
        },
        filters: Object.keys(signals.params),
      },
      auctions_feed: {
        note: 'Upcoming sheriff sales, ranked by sale date. opening_bid_basis says what each opening bid rests on.',
        coverage: {
          upcoming_sales: count(a['total']),
          next_sale_date: a['next'] === null ? null : String(a['next']),
          furthest_sale_date: a['furthest'] === null ? null : String(a['furthest']),
          counties: count(a['counties']),
          freshest: instantOf(a['freshest']),
        },
        filters: Object.keys(auctions.params),
      },
      leads_feed: {
        note: 'Every lead has a distress signal verified within the last 7 days.',
        coverage: { available_leads: count(l['total']), counties: count(l['counties']) },
        filters: Object.keys(leads.params),
      },
      free_samples: { note: 'Full records of the paid answers.', ...(await samplesOf(asked, claimed)) } as z.input<
        typeof Meta
      >['free_samples'],
      example_report: {
        note: 'The whole report of one deal, free at url. That of any other deal is sold at GET /api/deals/{id}/report; the literal {id} is answered with how to call it.',
        url: publicUrl + EXAMPLE_PATH,
        property: (await exampleDeals(snapshot, 1))[0]?.property ?? null,
      },
      sources: await sourcesOf(snapshot),
      assumptions: {
        assumption_set_id: manifest.assumption_set_id,
        values: Object.fromEntries(assumptions.map((r) => [String(r['key']), String(r['value'])])),
      },
      as_of: manifest.as_of,
      snapshot_id: snapshot.id,
      generated_at: manifest.generated_at,
    };
  };

  // A lead that is claimed is no sample from then on, and is not counted.
  const state = async ({ claims }: Pick<Asked<Record<never, never>>, 'claims'>): Promise<string> =>
    nameOf(await claims());
  return defineRoute({
    path: '/api/meta',
    price: null,
    about: 'Free discovery: coverage, prices, field notes, filters and samples.',
    params: {},
    reply: Meta,
    state,
    handle: oncePerDay(make, state),
  });
}

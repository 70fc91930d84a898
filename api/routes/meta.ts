/** GET /api/meta, of all and of each register: coverage, prices, field notes, filters and samples of the snapshot. */
import { z } from 'zod';
import { BASE, type Network } from '../../lib/network.ts';
import { priceText } from '../../lib/prices.ts';
import { ABSENT_ABOUT, noteOf, type RecordDefinition } from '../../lib/record.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import { Auction } from '../../models/marts/auctions.ts';
import { Deal } from '../../models/marts/deals.ts';
import { Filing } from '../../models/marts/filings.ts';
import { Lead } from '../../models/marts/leads.ts';
import { Signal } from '../../models/marts/signals.ts';
import { Source } from '../../models/marts/sources.ts';
import { TABLES } from '../../models/serving/tables.ts';
import { Filters } from '../serving/filters.ts';
import { cachePerDay } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { COVERAGE_PATH, coverageByMetro, MetroCoverage } from './coverage.ts';
import { activeDeals, deals, freeDeals } from './deals.ts';
import { defineRoute, templateOf, type Route, type RouteRequest } from './define.ts';
import { DATA, dataOf, GENERATED_AT } from './envelope.ts';
import { filingsOfLastDays, nameIn, prefixOf, weeklyFile, WeeklyFile, type Register } from './filings.ts';
import { holdsHash, notHeld, unsold, type Held } from './leads/lead_holds.ts';
import { leads, sellableLeads } from './leads/leads.ts';
import { FIELD_GROUPS } from './list/field_groups.ts';
import { BASIS_NOTE } from './lookup/lookup.ts';
import { citiesOf } from './places.ts';
import { EXAMPLE_PATH, exampleDeals } from './report.ts';
import { auctions, currentSignals, owners, OWNERS_NOTE, signals, upcomingAuctions } from './public_records.ts';

const nullable = <S extends z.ZodType>(schema: S, absent: string) =>
  schema.nullable().meta({ description: `Null when: ${absent}.` });
const timestamp = nullable(z.iso.datetime(), 'there is no such record');
const saleDate = nullable(z.iso.date(), 'there is no sale to come');
const { status, freshness, stale_reason } = Source.schema.shape;

/** Status of a source, for buyers. */
const SourceStatus = z.strictObject({
  source: z.string(),
  title: z.string(),
  home: z.string(),
  status,
  freshness,
  stale_reason: nullable(stale_reason.unwrap(), 'freshness is not stale'),
  fiscal_year: nullable(z.int(), 'the rows have no fiscal year'),
  every_days: z.int(),
  last_good_at: nullable(z.iso.datetime(), 'the source has no good read'),
  rows: z.int(),
  /** Rows of its page, and their number by the site's own count. */
  rows_in: z.int(),
  rows_stated: nullable(z.int(), 'its site states no count'),
  /** Fields that it filled before and does not now, with the day. */
  missing_fields: nullable(z.string(), 'no field went blank'),
  missing_since: nullable(z.iso.date(), 'no field went blank'),
  /** Mean share of its rows with a value, over the columns that may be absent. */
  filled_pct: nullable(z.int(), 'it has no row, or none of these columns'),
});
const filterList = z.array(z.string());

/** A feed: what it has, its figures, and its filters. */
const feed = <C extends z.ZodRawShape>(coverage: C) =>
  z.strictObject({ note: z.string(), coverage: z.strictObject(coverage), filters: filterList });

/** What the discovery of all data and that of a register have in common. */
const COMMON = {
  name: z.string(),
  description: z.string(),
  interface_version: z.string(),
  /** Only if the data are made up or the money is test money. */
  notice: z.string().optional(),
  refresh_cadence: z.string(),
  pricing: z.record(z.string(), z.string()),
  record_schema_notes: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  /** Left out if no complete week has rows. */
  weekly_file: WeeklyFile.optional(),
  sources: z.array(SourceStatus),
  ...DATA,
  generated_at: GENERATED_AT,
};

export const Meta = z.strictObject({
  ...COMMON,
  guarantee: z.string(),
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
  filters: z.strictObject({ note: z.string(), params: filterList, example: z.string() }),
  signals_feed: feed({ total_signals: z.int(), with_address: z.int(), counties: z.int(), freshest: timestamp }),
  auctions_feed: feed({
    upcoming_sales: z.int(),
    next_sale_date: saleDate,
    furthest_sale_date: saleDate,
    counties: z.int(),
    freshest: timestamp,
  }),
  leads_feed: feed({ available_leads: z.int(), counties: z.int() }),
  owners_feed: feed({ owners: z.int(), counties: z.int() }),
  coverage_by_metro: z.strictObject({ note: z.string(), url: z.string(), metros: z.array(MetroCoverage) }),
  free_samples: z.strictObject({
    note: z.string(),
    deals: z.array(Deal.schema),
    signals: z.array(Signal.schema),
    auctions: z.array(Auction.schema),
    leads: z.array(Lead.schema),
  }),
  /** Property is null if there is no active deal. */
  example_report: z.strictObject({
    note: z.string(),
    url: z.string(),
    property: nullable(z.string(), 'there is no active deal'),
  }),
  assumptions: z.strictObject({ assumption_set_id: z.string(), values: z.record(z.string(), z.string()) }),
});

/** Version of the interface. */
export const INTERFACE_VERSION = '1.0.0';

export interface RouteOptions {
  readonly publicUrl: string;
  /** Where payments are taken. Default: Base. */
  readonly network?: Network;
  /** Shown if payments are in test money. */
  readonly paymentNotice?: string | undefined;
}
/** With every route of the server. */
type MetaOptions = RouteOptions & { readonly routes: readonly Route[] };

/** Mean of the percentages in a text such as "units 95, noi 35", or null. */
function meanRate(rates: unknown): number | null {
  const all = [...String(rates ?? '').matchAll(/ (\d+)(?:,|$)/gu)].map(([, pct]) => Number(pct));
  return all.length === 0 ? null : Math.round(all.reduce((sum, pct) => sum + pct, 0) / all.length);
}

/** Made-up data and test money. */
function noticeOf(manifest: ServedManifest, paymentNotice = ''): { notice?: string } {
  const notice = [manifest.notice, paymentNotice].filter(Boolean).join(' ');
  return notice === '' ? {} : { notice };
}

/** Status of every source. */
const sourcesOf = (snapshot: Snapshot): z.infer<typeof SourceStatus>[] =>
  snapshot
    .all('sources')
    .map((row) => ({ ...row, rows: row['rows_out'], filled_pct: meanRate(row['fill_rates']) }))
    .map((row) => SourceStatus.strip().parse(row));

/** Price of every route, with the protocol and the network. */
const pricingOf = (routes: readonly Route[], { name: network }: Network = BASE): Record<string, string> => ({
  ...Object.fromEntries(routes.map((route) => [`GET ${templateOf(route)}`, priceText(route)])),
  protocol: 'x402 version 2',
  network,
});

/** Notes on the fields of a record: the values of an enum that is never null, else a sentence. */
const fieldNotesOf = (record: RecordDefinition, prefix: string): [string, string | string[]][] =>
  record.columns.map((column) => [
    prefix + column.name,
    column.values !== undefined && column.absent === undefined ? [...column.values] : noteOf(column),
  ]);

/** Tables with notes on their fields. */
const NOTED = ['deals', 'signals', 'auctions', 'leads', 'owners', 'coverage', 'filings'] as const;

type MetaRequest = RouteRequest<Record<never, never>>;

/** Number of counties of matching rows. */
const countiesOf = async (snapshot: Snapshot, filters: Filters): Promise<number> =>
  (await snapshot.counts(filters, 'county')).size;

/** The smallest and the largest value of a column; null without one. */
async function endsOf(snapshot: Snapshot, filters: Filters, column: string) {
  const values = [...(await snapshot.counts(filters, column)).keys()].map(String);
  return [values[0] ?? null, values.at(-1) ?? null] as const;
}

async function dealFigures(snapshot: Snapshot): Promise<z.input<typeof Meta>['coverage']> {
  const active = activeDeals();
  const [oldest, freshest] = await endsOf(snapshot, active, 'last_verified');
  const statuses = await snapshot.counts(active, 'rental_status');
  return {
    total_records: await snapshot.total(new Filters('deals')),
    active_records: await snapshot.total(active),
    hot: statuses.get('Hot') ?? 0,
    warm: statuses.get('Warm') ?? 0,
    dscr_computed: (await snapshot.counts(active, 'dscr_status')).get('computed') ?? 0,
    cities: await citiesOf(snapshot, active),
    freshest_verification: freshest,
    oldest_active_verification: oldest,
  };
}

async function signalFigures(snapshot: Snapshot) {
  const current = currentSignals();
  return {
    total_signals: await snapshot.total(current),
    with_address: (await snapshot.counts(current, 'has_address')).get(true) ?? 0,
    counties: await countiesOf(snapshot, current),
    freshest: (await endsOf(snapshot, current, 'last_seen'))[1],
  };
}

async function auctionFigures(snapshot: Snapshot, today: string) {
  const upcoming = upcomingAuctions(today);
  const [next, furthest] = await endsOf(snapshot, upcoming, 'sale_date');
  return {
    upcoming_sales: await snapshot.total(upcoming),
    next_sale_date: next,
    furthest_sale_date: furthest,
    counties: await countiesOf(snapshot, upcoming),
    freshest: (await endsOf(snapshot, upcoming, 'last_seen'))[1],
  };
}

/** One full record per feed, free, of no sold property. The lead is the lowest-ranked one: the best are for buyers. */
async function samplesOf(
  request: MetaRequest,
  held: Held,
): Promise<Omit<z.input<typeof Meta>['free_samples'], 'note'>> {
  const { snapshot, today } = request;
  const [active, upcoming, current, cheapest, sellable] = await Promise.all(
    [
      freeDeals(held),
      unsold(upcomingAuctions(today), held),
      unsold(currentSignals(), held),
      unsold(currentSignals(), held).and('has_address', '=', true).and('amount', '>', '0'),
      notHeld(await sellableLeads(request), held),
    ].map((filters) => snapshot.select(filters)),
  );
  const last = (...rows: (readonly number[] | undefined)[]): number[] => rows.flatMap((some = []) => some).slice(-1);
  return {
    deals: snapshot.records('deals', active?.slice(0, 1) ?? []),
    // The smallest amount with an address, if there is one.
    signals: snapshot.records('signals', last(current, cheapest)),
    auctions: snapshot.records('auctions', upcoming?.slice(0, 1) ?? []),
    leads: snapshot.records('leads', last(sellable)),
  } as Omit<z.input<typeof Meta>['free_samples'], 'note'>;
}

/** The discovery route over `routes`. */
export function metaRoute({ routes, publicUrl, network, paymentNotice }: MetaOptions): Route {
  const build = async (request: MetaRequest): Promise<z.input<typeof Meta>> => {
    const { snapshot, manifest } = request;
    const held = await request.holds();
    const assumptions = snapshot.all('assumptions').toSorted((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));
    const sellable = notHeld(await sellableLeads(request), held);
    const allOwners = new Filters('owners');
    return {
      name: 'Dealfeed',
      interface_version: INTERFACE_VERSION,
      description:
        'Deal-level records of small US multifamily listings in 20 metros with typed underwriting and three-path ' +
        'scores; public records of distress (tax debts, foreclosure filings, liens, code cases, vacant and ' +
        'condemned buildings), sheriff and other sales, off-market leads, owners with several such properties, and ' +
        'new business registrations, from public pages. Paid per call with x402.',
      guarantee:
        'Every field is typed, every absent value carries a typed reason, and a filtered paid query with zero ' +
        'matches returns HTTP 404 with a typed reason and is not billed.',
      ...noticeOf(manifest, paymentNotice),
      coverage: await dealFigures(snapshot),
      refresh_cadence:
        'Listings daily; underwriting at least every 2 days; county lists and sheriff calendars as listed in ' +
        'sources; the Colorado register daily; the Ohio register on the second Saturday of each month.',
      pricing: pricingOf(routes, network),
      record_schema_notes: Object.fromEntries([
        ...NOTED.flatMap((table) => fieldNotesOf(TABLES[table], table === 'deals' ? '' : `${table}.`)),
        ['absent', ABSENT_ABOUT],
        ['lookup.match_basis', BASIS_NOTE],
      ]),
      filters: {
        note:
          'Filters of /api/deals, combined with AND. Unknown parameters are refused. No match, no charge. On every ' +
          'list, fields chooses the fields of a record, by name or by group; a deal has the groups ' +
          `${Object.keys(FIELD_GROUPS.deals.groups).join(', ')} and returns ` +
          `${FIELD_GROUPS.deals.byDefault.join(', ')} by default. On deals, signals, auctions, leads and filings, ` +
          'updated_since=<changes_through of an earlier response> returns only what is new, changed or gone since.',
        params: Object.keys(deals.params),
        example: `${publicUrl}/api/deals?state=OH&min_cap=7&status=Hot`,
      },
      signals_feed: {
        note: 'Public records of distress of every signal_type, ranked by amount; records without one are last.',
        coverage: await signalFigures(snapshot),
        filters: Object.keys(signals.params),
      },
      auctions_feed: {
        note:
          'Upcoming sales of every auction_type, ranked by sale date. opening_bid_basis gives the basis of each ' +
          'opening bid.',
        coverage: await auctionFigures(snapshot, request.today),
        filters: Object.keys(auctions.params),
      },
      leads_feed: {
        note:
          'Every lead has a distress signal verified within the last 7 days. A lead sold by /api/leads/exclusive ' +
          'takes its property: no lead of it is listed, counted or sold again. Its public records stay in the ' +
          'other feeds.',
        coverage: { available_leads: await snapshot.total(sellable), counties: await countiesOf(snapshot, sellable) },
        filters: Object.keys(leads.params),
      },
      owners_feed: {
        note: OWNERS_NOTE,
        coverage: { owners: await snapshot.total(allOwners), counties: await countiesOf(snapshot, allOwners) },
        filters: Object.keys(owners.params),
      },
      weekly_file: (await weeklyFile(request)).file,
      coverage_by_metro: {
        note:
          'Kinds of records that are read in each metro, in a part of it, and not at all. Where a kind is not ' +
          'covered, no record says nothing about a property. The free url has rows, ages, join rates and reasons.',
        url: publicUrl + COVERAGE_PATH,
        metros: [...(await coverageByMetro(snapshot))],
      },
      free_samples: {
        note: 'Full records, as the lists return them with fields=all.',
        ...(await samplesOf(request, held)),
      },
      example_report: {
        note:
          'The full report of one deal, free at url. The report of any other deal is sold at ' +
          'GET /api/deals/{id}/report; call that path with the literal {id} to see how.',
        url: publicUrl + EXAMPLE_PATH,
        property: (await exampleDeals(request, 1))[0]?.property ?? null,
      },
      sources: sourcesOf(snapshot),
      assumptions: {
        assumption_set_id: manifest.assumption_set_id,
        values: Object.fromEntries(assumptions.map((row) => [String(row['key']), String(row['value'])])),
      },
      ...dataOf(manifest),
      generated_at: manifest.generated_at,
    };
  };

  // A held lead is neither counted nor shown as a sample.
  const stateKey = async ({ holds }: Pick<MetaRequest, 'holds'>): Promise<string> => holdsHash(await holds());
  return defineRoute({
    name: 'meta',
    path: '/api/meta',
    price: null,
    about: 'Free discovery: coverage, prices, field notes, filters and samples.',
    params: {},
    response: Meta,
    stateKey,
    handle: cachePerDay(build, stateKey),
  });
}

/** Filings among the samples of a register. */
const REGISTER_SAMPLES = 3;

const RegisterMeta = z.strictObject({
  ...COMMON,
  coverage: z.strictObject({
    total_records: z.int(),
    added_last_7d: z.int(),
    freshest: z.iso.date().nullable().meta({ description: 'Null when: there is no filing.' }),
  }),
  filters: z.strictObject({ note: z.string(), params: z.record(z.string(), z.array(z.string())) }),
  free_samples: z.strictObject({ note: z.string(), records: z.array(Filing.schema) }),
});

/** The discovery route of a register: its routes are those under its prefix. */
export function registerMeta(register: Register, { routes, network, paymentNotice }: MetaOptions): Route {
  const { name, state, stateName, cadence } = register;
  const prefix = prefixOf(register);
  return defineRoute({
    name: nameIn(register, 'meta'),
    path: `${prefix}/api/meta`,
    price: null,
    about: `Free discovery of the ${stateName} registrations: coverage, prices, field notes and samples.`,
    params: {},
    response: RegisterMeta,
    handle: cachePerDay(async (request): Promise<z.input<typeof RegisterMeta>> => {
      const { snapshot, manifest } = request;
      const filed = new Filters('filings').and('source_state', '=', state);
      const rank = { column: 'filing_date', direction: 'DESC' } as const;
      const find = (filters: Filters, limit: number) => snapshot.find({ filters, rank }, undefined, limit);
      const { total } = await find(filed, 0);
      // As /api/filings/recent: by filing date, so that a first load is not counted.
      const added = await find((await filingsOfLastDays(request)).and('source_state', '=', state), 0);
      // A filing may take effect later: future dates say nothing about freshness.
      const latest = await find(filed.and('filing_date', '<=', request.today), REGISTER_SAMPLES);
      const samples = snapshot.records('filings', latest.rows) as z.input<typeof Filing.schema>[];
      const own = routes.filter((route) => route.path.startsWith(`${prefix}/`));
      return {
        name: `Dealfeed: ${stateName} registrations`,
        interface_version: INTERFACE_VERSION,
        description:
          `Newly registered businesses of ${stateName} from its Secretary of State: legal name, filing date, entity ` +
          'type, registered agent and address. Paid per call with x402.',
        ...noticeOf(manifest, paymentNotice),
        coverage: { total_records: total, added_last_7d: added.total, freshest: samples[0]?.filing_date ?? null },
        weekly_file: (await weeklyFile(request, { state })).file,
        refresh_cadence: cadence,
        pricing: pricingOf(own, network),
        record_schema_notes: Object.fromEntries(fieldNotesOf(TABLES.filings, '')),
        filters: {
          note: 'Combined with AND. Unknown parameters are refused. No match, no charge.',
          params: Object.fromEntries(
            own.filter((route) => route.price !== null).map((route) => [route.path, Object.keys(route.params)]),
          ),
        },
        free_samples: { note: 'Full records of the paid responses, the newest filing dates first.', records: samples },
        sources: sourcesOf(snapshot).filter(({ source }) => source.startsWith(`${name}_sos`)),
        ...dataOf(manifest),
        generated_at: manifest.generated_at,
      };
    }),
  });
}

/** GET /api/meta: coverage, prices, field notes, filters and samples, all from the current snapshot. */
import type { z } from 'zod';
import { ABSENT_ABOUT } from '../../../lib/record.ts';
import { Filters } from '../../serving/filters.ts';
import type { Snapshot } from '../../serving/open.ts';
import { cachePerDay } from '../../serving/memo.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { auctions, upcomingAuctions } from '../auctions.ts';
import { COVERAGE_PATH, coverageByMetro } from '../coverage.ts';
import { activeDeals, deals, freeDeals } from '../deals.ts';
import { dataOf } from '../envelope.ts';
import { defineRoute, type Route, type RouteRequest } from '../define.ts';
import { FIELD_GROUPS } from '../list/field_groups.ts';
import { holdsHash, notHeld, unsold, type Held } from '../leads/lead_holds.ts';
import { leads, sellableLeads } from '../leads/leads.ts';
import { BASIS_NOTE } from '../lookup/lookup.ts';
import { EXAMPLE_PATH, exampleDeals } from '../report/report.ts';
import { owners, OWNERS_NOTE } from '../owners.ts';
import { currentSignals, signals } from '../signals.ts';
import { weeklyFile } from '../filings/weekly_csv.ts';
import { fieldNotesOf, INTERFACE_VERSION, noticeOf, pricingOf, sourcesOf, type MetaOptions } from './facts.ts';
import { citiesOf, figuresOf, type Figures } from '../figures.ts';
import { Meta } from './schema.ts';

/** Tables with notes on their fields. */
const NOTED = ['deals', 'signals', 'auctions', 'leads', 'owners', 'coverage', 'filings'] as const;

type MetaRequest = RouteRequest<Record<never, never>>;

const counties = (rows: Figures): { counties: number } => ({ counties: rows.counts('county').size });

async function dealFigures(snapshot: Snapshot): Promise<z.input<typeof Meta>['coverage']> {
  const active = await figuresOf(snapshot, activeDeals());
  const [oldest, freshest] = active.ends('last_verified');
  return {
    total_records: await snapshot.total(new Filters('deals')),
    active_records: active.all.length,
    hot: active.counts('rental_status').get('Hot') ?? 0,
    warm: active.counts('rental_status').get('Warm') ?? 0,
    dscr_computed: active.counts('dscr_status').get('computed') ?? 0,
    cities: await citiesOf(snapshot, activeDeals()),
    freshest_verification: freshest,
    oldest_active_verification: oldest,
  };
}

async function signalFigures(snapshot: Snapshot) {
  const rows = await figuresOf(snapshot, currentSignals());
  return {
    total_signals: rows.all.length,
    with_address: rows.counts('has_address').get(true) ?? 0,
    ...counties(rows),
    freshest: rows.ends('last_seen')[1],
  };
}

async function auctionFigures(snapshot: Snapshot, today: string) {
  const rows = await figuresOf(snapshot, upcomingAuctions(today));
  const [next, furthest] = rows.ends('sale_date');
  return {
    upcoming_sales: rows.all.length,
    next_sale_date: next,
    furthest_sale_date: furthest,
    ...counties(rows),
    freshest: rows.ends('last_seen')[1],
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
    const sellable = await figuresOf(snapshot, notHeld(await sellableLeads(request), held));
    const allOwners = await figuresOf(snapshot, new Filters('owners'));
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
        coverage: { available_leads: sellable.all.length, ...counties(sellable) },
        filters: Object.keys(leads.params),
      },
      owners_feed: {
        note: OWNERS_NOTE,
        coverage: { owners: allOwners.all.length, ...counties(allOwners) },
        filters: Object.keys(owners.params),
      },
      weekly_file: await weeklyFile(request),
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

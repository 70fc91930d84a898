/** GET /api/meta: coverage, prices, field notes, filters and samples, all from the current snapshot. */
import type { z } from 'zod';
import { ABSENT_ABOUT } from '../../../lib/record.ts';
import type { Filters } from '../../snapshot/filters.ts';
import { cachePerDay } from '../../snapshot/memo.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { auctions, upcomingAuctions } from '../auctions.ts';
import { COVERAGE_PATH, coverageByMetro } from '../coverage.ts';
import { deals, freeDeals } from '../deals.ts';
import { dataOf } from '../envelope.ts';
import { defineRoute, type Route, type RouteRequest } from '../define.ts';
import { FIELD_GROUPS } from '../list/field_groups.ts';
import { claimsHash, unclaimed, unsold, type Claimed } from '../leads/lead_claims.ts';
import { leads, sellableLeads } from '../leads/leads.ts';
import { BASIS_NOTE } from '../lookup/matches.ts';
import { EXAMPLE_PATH, exampleDeals } from '../report/report.ts';
import { owners, OWNERS_NOTE } from '../owners.ts';
import { currentSignals, signals } from '../signals.ts';
import { fieldNotesOf, INTERFACE_VERSION, pricingOf, queryRow, sourcesOf, type MetaOptions } from './facts.ts';
import { Meta } from './schema.ts';

const { shape } = Meta;

type MetaRequest = RouteRequest<Record<never, never>>;

const instant = (sql: string): string => `strftime(${sql}, '%Y-%m-%dT%H:%M:%SZ')`;

/** Figures of each feed as the fields of its coverage: counts, days and instants. */
const DEALS = `SELECT count(*)::INTEGER AS total_records,
    count(*) FILTER (WHERE active)::INTEGER AS active_records,
    count(*) FILTER (WHERE active AND rental_status = 'Hot')::INTEGER AS hot,
    count(*) FILTER (WHERE active AND rental_status = 'Warm')::INTEGER AS warm,
    count(*) FILTER (WHERE active AND dscr_status = 'computed')::INTEGER AS dscr_computed,
    count(DISTINCT (lower(city), state)) FILTER (WHERE active)::INTEGER AS cities,
    ${instant('max(last_verified) FILTER (WHERE active)')} AS freshest_verification,
    ${instant('min(last_verified) FILTER (WHERE active)')} AS oldest_active_verification
  FROM (SELECT *, listing_status = 'active' AS active FROM deals)`;
const COUNTIES = 'count(DISTINCT county)::INTEGER AS counties';
const SIGNALS = `SELECT count(*)::INTEGER AS total_signals,
    count(*) FILTER (WHERE has_address)::INTEGER AS with_address,
    ${COUNTIES}, ${instant('max(last_seen)')} AS freshest
  FROM signals`;
const AUCTIONS = `SELECT count(*)::INTEGER AS upcoming_sales, min(sale_date) AS next_sale_date,
    max(sale_date) AS furthest_sale_date, ${COUNTIES}, ${instant('max(last_seen)')} AS freshest
  FROM auctions`;
const LEADS = `SELECT count(*)::INTEGER AS available_leads, ${COUNTIES} FROM leads`;
const OWNERS = `SELECT count(*)::INTEGER AS owners, ${COUNTIES} FROM owners`;

/** One full record per feed, free, of no sold property. The lead is the lowest-ranked one: the best are for buyers. */
async function samplesOf(
  request: MetaRequest,
  claimed: Claimed,
): Promise<Omit<z.input<typeof Meta>['free_samples'], 'note'>> {
  const { snapshot, today } = request;
  const upcoming = unsold(upcomingAuctions(today), claimed).sql();
  const sellable = unclaimed(await sellableLeads(request), claimed).sql();
  const current = unsold(currentSignals(), claimed).sql();
  const free = freeDeals(claimed).sql();
  return {
    deals: await snapshot.records('deals', `${free} ORDER BY deal_score DESC, id LIMIT 1`, free.values),
    signals: await snapshot.records(
      'signals',
      `${current} ORDER BY has_address DESC, amount NULLS LAST, id LIMIT 1`,
      current.values,
    ),
    auctions: await snapshot.records('auctions', `${upcoming} ORDER BY sale_date, id LIMIT 1`, upcoming.values),
    leads: await snapshot.records('leads', `${sellable} ORDER BY lead_score, id LIMIT 1`, sellable.values),
  } as Omit<z.input<typeof Meta>['free_samples'], 'note'>;
}

/** The discovery route over `routes`. */
export function metaRoute({ routes, publicUrl, network, paymentNotice }: MetaOptions): Route {
  const build = async (request: MetaRequest): Promise<z.input<typeof Meta>> => {
    const { snapshot, manifest } = request;
    const claimed = await request.claims();
    const assumptions = await snapshot.records('assumptions', 'ORDER BY key');
    const figuresOf = (sql: string, filters: Filters): Promise<Record<string, unknown>> => {
      const where = filters.sql();
      return queryRow(snapshot, `${sql}${where}`, where);
    };
    const notice = [manifest.notice, paymentNotice ?? ''].filter(Boolean).join(' ');
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
      ...(notice === '' ? {} : { notice }),
      coverage: shape.coverage.parse(await queryRow(snapshot, DEALS)),
      refresh_cadence:
        'Listings daily; underwriting at least every 2 days; county lists and sheriff calendars as listed in ' +
        'sources; the Colorado register daily; the Ohio register on the second Saturday of each month.',
      pricing: pricingOf(routes, network),
      record_schema_notes: Object.fromEntries([
        ...fieldNotesOf(TABLES.deals, ''),
        ...fieldNotesOf(TABLES.signals, 'signals.'),
        ...fieldNotesOf(TABLES.auctions, 'auctions.'),
        ...fieldNotesOf(TABLES.leads, 'leads.'),
        ...fieldNotesOf(TABLES.owners, 'owners.'),
        ...fieldNotesOf(TABLES.coverage, 'coverage.'),
        ...fieldNotesOf(TABLES.filings, 'filings.'),
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
        coverage: shape.signals_feed.shape.coverage.parse(await figuresOf(SIGNALS, currentSignals())),
        filters: Object.keys(signals.params),
      },
      auctions_feed: {
        note:
          'Upcoming sales of every auction_type, ranked by sale date. opening_bid_basis gives the basis of each ' +
          'opening bid.',
        coverage: shape.auctions_feed.shape.coverage.parse(await figuresOf(AUCTIONS, upcomingAuctions(request.today))),
        filters: Object.keys(auctions.params),
      },
      leads_feed: {
        note:
          'Every lead has a distress signal verified within the last 7 days. A lead sold by /api/leads/exclusive ' +
          'takes its property: no lead of it is listed, counted or sold again. Its public records stay in the ' +
          'other feeds.',
        coverage: shape.leads_feed.shape.coverage.parse(
          await figuresOf(LEADS, unclaimed(await sellableLeads(request), claimed)),
        ),
        filters: Object.keys(leads.params),
      },
      owners_feed: {
        note: OWNERS_NOTE,
        coverage: shape.owners_feed.shape.coverage.parse(await queryRow(snapshot, OWNERS)),
        filters: Object.keys(owners.params),
      },
      coverage_by_metro: {
        note:
          'Kinds of records that are read in each metro, in a part of it, and not at all. Where a kind is not ' +
          'covered, no record says nothing about a property. The free url has rows, ages, join rates and reasons.',
        url: publicUrl + COVERAGE_PATH,
        metros: [...(await coverageByMetro(snapshot))],
      },
      free_samples: {
        note: 'Full records, as the lists return them with fields=all.',
        ...(await samplesOf(request, claimed)),
      },
      example_report: {
        note:
          'The full report of one deal, free at url. The report of any other deal is sold at ' +
          'GET /api/deals/{id}/report; call that path with the literal {id} to see how.',
        url: publicUrl + EXAMPLE_PATH,
        property: (await exampleDeals(request, 1))[0]?.property ?? null,
      },
      sources: await sourcesOf(snapshot),
      assumptions: {
        assumption_set_id: manifest.assumption_set_id,
        values: Object.fromEntries(assumptions.map((row) => [String(row['key']), String(row['value'])])),
      },
      ...dataOf(manifest),
      generated_at: manifest.generated_at,
    };
  };

  // A claimed lead is neither counted nor shown as a sample.
  const stateKey = async ({ claims }: Pick<MetaRequest, 'claims'>): Promise<string> => claimsHash(await claims());
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

/** Coverage and free samples of /api/meta, computed from the snapshot. */
import type { z } from 'zod';
import { upcomingAuctions } from '../auctions.ts';
import { freeDeals } from '../deals.ts';
import type { RouteRequest } from '../define.ts';
import { unclaimed, unsold, type Claimed } from '../leads/lead_claims.ts';
import { sellableLeads } from '../leads/leads.ts';
import { currentSignals } from '../signals.ts';
import { queryRow, toCount, toInstant } from './facts.ts';
import type { Meta } from './schema.ts';

type MetaRequest = RouteRequest<Record<never, never>>;
type MetaBody = z.input<typeof Meta>;

export async function dealCoverage({ snapshot }: MetaRequest): Promise<MetaBody['coverage']> {
  const row = await queryRow(
    snapshot,
    `SELECT count(*) AS total,
      count(*) FILTER (WHERE active) AS active,
      count(*) FILTER (WHERE active AND rental_status = 'Hot') AS hot,
      count(*) FILTER (WHERE active AND rental_status = 'Warm') AS warm,
      count(*) FILTER (WHERE active AND dscr_status = 'computed') AS computed,
      count(DISTINCT (lower(city), state)) FILTER (WHERE active) AS cities,
      max(last_verified) FILTER (WHERE active) AS freshest,
      min(last_verified) FILTER (WHERE active) AS oldest
    FROM (SELECT *, listing_status = 'active' AS active FROM deals)`,
  );
  return {
    total_records: toCount(row['total']),
    active_records: toCount(row['active']),
    hot: toCount(row['hot']),
    warm: toCount(row['warm']),
    dscr_computed: toCount(row['computed']),
    cities: toCount(row['cities']),
    freshest_verification: toInstant(row['freshest']),
    oldest_active_verification: toInstant(row['oldest']),
  };
}

export async function signalCoverage({ snapshot }: MetaRequest): Promise<MetaBody['signals_feed']['coverage']> {
  const where = currentSignals().sql();
  const row = await queryRow(
    snapshot,
    `SELECT count(*) AS total, count(*) FILTER (WHERE has_address) AS with_address,
      count(DISTINCT county) AS counties, max(last_seen) AS freshest
    FROM signals${where}`,
    where,
  );
  return {
    total_signals: toCount(row['total']),
    with_address: toCount(row['with_address']),
    counties: toCount(row['counties']),
    freshest: toInstant(row['freshest']),
  };
}

export async function auctionCoverage({
  snapshot,
  today,
}: MetaRequest): Promise<MetaBody['auctions_feed']['coverage']> {
  const where = upcomingAuctions(today).sql();
  const row = await queryRow(
    snapshot,
    `SELECT count(*) AS total, min(sale_date) AS next, max(sale_date) AS furthest,
      count(DISTINCT county) AS counties, max(last_seen) AS freshest
    FROM auctions${where}`,
    where,
  );
  return {
    upcoming_sales: toCount(row['total']),
    next_sale_date: row['next'] === null ? null : String(row['next']),
    furthest_sale_date: row['furthest'] === null ? null : String(row['furthest']),
    counties: toCount(row['counties']),
    freshest: toInstant(row['freshest']),
  };
}

export async function leadCoverage(
  request: MetaRequest,
  claimed: Claimed,
): Promise<MetaBody['leads_feed']['coverage']> {
  const where = unclaimed(await sellableLeads(request), claimed).sql();
  const row = await queryRow(
    request.snapshot,
    `SELECT count(*) AS total, count(DISTINCT county) AS counties FROM leads${where}`,
    where,
  );
  return { available_leads: toCount(row['total']), counties: toCount(row['counties']) };
}

export async function ownerCoverage({ snapshot }: MetaRequest): Promise<MetaBody['owners_feed']['coverage']> {
  const row = await queryRow(snapshot, 'SELECT count(*) AS total, count(DISTINCT county) AS counties FROM owners');
  return { owners: toCount(row['total']), counties: toCount(row['counties']) };
}

/** One full record per feed, free, of no sold property. The lead is the lowest-ranked one: the best are for buyers. */
export async function samplesOf(
  request: MetaRequest,
  claimed: Claimed,
): Promise<Omit<MetaBody['free_samples'], 'note'>> {
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
  } as Omit<MetaBody['free_samples'], 'note'>;
}

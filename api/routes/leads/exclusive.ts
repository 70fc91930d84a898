/** GET /api/leads/exclusive: one lead, sold to one buyer only. */
import { z } from 'zod';
import { Lead } from '../../../models/marts/leads.ts';
import { noteOf } from '../list_route.ts';
import { leadLimits } from '../../payments/caps.ts';
import { PRICES } from '../prices.ts';
import { Problem } from '../../http/problem.ts';
import { defineRoute, type RouteRequest, type Route } from '../define.ts';
import { sellableLeads, leadFilters, leads, matchingLeads } from './leads.ts';

/** Leads offered to the ledger in one claim. */
const CLAIM_BATCH = 200;

export const PROMISE =
  'This lead is yours alone. From claimed_at on it is sold to nobody else and appears in no list, count or sample of ' +
  'this service, nor in any later snapshot. Lists sold earlier may contain it, and its public record stays public.';

const Claim = z.strictObject({
  promise: z.literal(PROMISE),
  /** Id of the purchase; the wallet that paid can collect this response again at `collect`. */
  receipt_id: z.uuid(),
  lead_id: z.string(),
  claimed_at: z.iso.datetime(),
  collect: z.url(),
});

const ExclusiveLead = z.strictObject({
  note: z.string().optional(),
  generated_at: z.iso.datetime(),
  as_of: z.iso.date(),
  snapshot_id: z.string(),
  filters: z.record(z.string(), z.unknown()),
  claim: Claim,
  lead: Lead.schema,
});

type ExclusiveRequest = RouteRequest<typeof leadFilters>;

/** Ids of the matching leads in batches, the highest score first. */
async function* rankedIds(request: ExclusiveRequest): AsyncGenerator<string[]> {
  const where = (await matchingLeads(request)).sql();
  for (let from = 0; ; from += CLAIM_BATCH) {
    const rows = await request.snapshot.rows(
      `SELECT id FROM leads${where} ORDER BY lead_score DESC, id LIMIT ${CLAIM_BATCH} OFFSET ${from}`,
      where.values,
    );
    if (rows.length > 0) yield rows.map((r) => String(r['id']));
    if (rows.length < CLAIM_BATCH) return;
  }
}

/** Matching leads that other buyers are buying now, and that are sold. */
async function countTaken(request: ExclusiveRequest): Promise<{ being_bought: number; sold: number }> {
  const claimed = await request.claims();
  const counts = { being_bought: 0, sold: 0 };
  for await (const ids of rankedIds(request)) {
    for (const id of ids) {
      const state = claimed.get(id);
      if (state !== undefined) counts[state === 'sold' ? 'sold' : 'being_bought'] += 1;
    }
  }
  return counts;
}

const noMatchDetail = ({ being_bought: bought, sold }: { being_bought: number; sold: number }): string => {
  if (bought > 0)
    return (
      `Every lead that matches these filters is sold or being bought right now (${bought}). A failed purchase ` +
      'releases its lead; try again in a minute. Nothing was charged.'
    );
  return sold > 0
    ? 'Every lead that matches these filters is sold. Nothing was charged.'
    : 'No available lead matches these filters. Nothing was charged.';
};

/** Leads that could be sold today, ignoring the filters. */
async function poolSize(request: ExclusiveRequest): Promise<number> {
  const where = (await sellableLeads(request)).sql();
  const [row] = await request.snapshot.rows(`SELECT count(*) AS leads FROM leads${where}`, where.values);
  return Number(row?.['leads'] ?? 0);
}

const limitProblem = (by: 'payer' | 'new payers'): Problem =>
  by === 'payer'
    ? new Problem(
        'too_many_held_leads',
        'This payer holds the maximum number of unpaid leads. Nothing was charged.',
        {},
        { 'Retry-After': '60' },
      )
    : new Problem(
        'lead_pool_held',
        'New payers together hold the maximum number of unpaid leads. Try again when some of their payments have ' +
          'ended. Nothing was charged.',
        {},
        { 'Retry-After': '60' },
      );

/** @param collectUrl URL at which the purchase of a receipt id is collected */
export const exclusive = (collectUrl: (receiptId: string) => string): Route =>
  defineRoute({
    path: '/api/leads/exclusive',
    price: PRICES['/api/leads/exclusive'],
    about:
      'The available lead with the highest score that matches the filters, sold to one buyer only: it then ' +
      'disappears from /api/leads for good and is never sold to anyone else.',
    params: leadFilters,
    isExclusive: true,
    reasons: ['contract_wallet_refused', 'too_many_held_leads', 'lead_pool_held', 'exclusive_paused'],
    response: ExclusiveLead,
    async handle(request): Promise<z.input<typeof ExclusiveLead>> {
      const { snapshot, manifest, params, claimant } = request;
      if (!claimant) throw new Error('a lead can only be claimed for a purchase');
      const limits = leadLimits(await poolSize(request));
      for await (const ids of rankedIds(request)) {
        const claimed = await claimant.claim(ids, limits);
        if (claimed.kind === 'none') continue;
        if (claimed.kind === 'limited') throw limitProblem(claimed.by);
        const id = claimed.leadId;
        const [lead] = await snapshot.records('leads', 'WHERE id = $1', [id]);
        if (!lead) throw new Error('the claimed lead is not in this snapshot');
        const { purchase } = claimant;
        return {
          ...noteOf(manifest, 'Public records only; no skip-traced contact data.'),
          generated_at: manifest.generated_at,
          as_of: manifest.as_of,
          snapshot_id: snapshot.id,
          filters: { ...params },
          claim: {
            promise: PROMISE,
            receipt_id: purchase.id,
            lead_id: id,
            claimed_at: `${new Date(purchase.reservedAtMs).toISOString().slice(0, 19)}Z`,
            collect: collectUrl(purchase.id),
          },
          lead: lead as z.input<typeof Lead.schema>,
        };
      }
      const taken = await countTaken(request);
      throw new Problem(
        'no_matches',
        noMatchDetail(taken),
        { filters: { ...params }, ...taken, list: leads.path, as_of: manifest.as_of, snapshot_id: snapshot.id },
        taken.being_bought > 0 ? { 'Retry-After': '60' } : {},
      );
    },
  });

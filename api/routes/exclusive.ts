/** One lead, sold to one buyer and to nobody else. */
import { z } from 'zod';
import { Lead } from '../../models/marts/leads.ts';
import { noteOf } from './list_route.ts';
import { leadLimits } from '../payments/caps.ts';
import { PRICES } from './prices.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Asked, type Route } from './define.ts';
import { available, leadFilters, leads, matching } from './leads.ts';

/** Leads that are tried for at once. */
const PAGE = 200;

export const PROMISE =
  'This lead is yours alone. From claimed_at on nobody else is sold it: it is in no list, count or sample of this service, and in no later snapshot. Lists that were sold before may hold it, and the public record it was made from stays public.';

const Claim = z.strictObject({
  promise: z.literal(PROMISE),
  /** The purchase; the wallet that paid can collect this answer again under collect. */
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

type AskedExclusive = Asked<typeof leadFilters>;

/** Ids of the matching leads, the best first, page by page. */
async function* ranked(asked: AskedExclusive): AsyncGenerator<string[]> {
  const where = matching(asked).sql();
  for (let from = 0; ; from += PAGE) {
    const rows = await asked.snapshot.rows(
      `SELECT id FROM leads${where} ORDER BY lead_score DESC, id LIMIT ${PAGE} OFFSET ${from}`,
      where.values,
    );
    if (rows.length > 0) yield rows.map((r) => String(r['id']));
    if (rows.length < PAGE) return;
  }
}

/** How many of the matching leads others are buying now, and how many are sold. */
async function takenOf(asked: AskedExclusive): Promise<{ being_bought: number; sold: number }> {
  const claimed = await asked.claims();
  const counts = { being_bought: 0, sold: 0 };
  for await (const ids of ranked(asked)) {
    for (const id of ids) {
      const state = claimed.get(id);
      if (state !== undefined) counts[state === 'sold' ? 'sold' : 'being_bought'] += 1;
    }
  }
  return counts;
}

const detailOf = ({ being_bought: bought, sold }: { being_bought: number; sold: number }): string => {
  if (bought > 0)
    return `Every lead that matches these filters is sold or being bought right now (${bought}). A purchase that comes to nothing frees its lead; try again in a minute. Nothing was charged.`;
  return sold > 0
    ? 'Every lead that matches these filters is sold. Nothing was charged.'
    : 'No available lead matches these filters. Nothing was charged.';
};

/** Leads that could be sold today, whatever the filters. */
async function poolSize({ snapshot, today }: AskedExclusive): Promise<number> {
  const where = available(today).sql();
  const [row] = await snapshot.rows(`SELECT count(*) AS leads FROM leads${where}`, where.values);
  return Number(row?.['leads'] ?? 0);
}

const limited = (by: 'payer' | 'new payers'): Problem =>
  by === 'payer'
    ? new Problem(
        'too_many_held_leads',
        'This payer holds as many leads as it may before their payments arrive. Nothing was charged.',
        {},
        { 'Retry-After': '60' },
      )
    : new Problem(
        'lead_pool_held',
        'Payers who never bought here hold as many leads as they may together. Try again when some of their payments have ended. Nothing was charged.',
        {},
        { 'Retry-After': '60' },
      );

/** @param collectUrl where the purchase of a receipt id is collected */
export const exclusive = (collectUrl: (receiptId: string) => string): Route =>
  defineRoute({
    path: '/api/leads/exclusive',
    price: PRICES['/api/leads/exclusive'],
    about:
      'The single top-scored lead that matches the filters and is still available, sold to one buyer only: it is then gone from /api/leads for good and never sold to anyone else.',
    params: leadFilters,
    isExclusive: true,
    reasons: ['contract_wallet_refused', 'too_many_held_leads', 'lead_pool_held', 'exclusive_paused'],
    reply: ExclusiveLead,
    async handle(asked): Promise<z.input<typeof ExclusiveLead>> {
      const { snapshot, manifest, params, claimant } = asked;
      if (!claimant) throw new Error('a lead is claimed for a purchase only');
      const limits = leadLimits(await poolSize(asked));
      for await (const ids of ranked(asked)) {
        const claimed = await claimant.claim(ids, limits);
        if (claimed.kind === 'none') continue;
        if (claimed.kind === 'limited') throw limited(claimed.by);
        const id = claimed.leadId;
        const [lead] = await snapshot.whole('leads', 'WHERE id = $1', [id]);
        if (!lead) throw new Error('a lead of another snapshot was claimed');
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
      const taken = await takenOf(asked);
      throw new Problem(
        'no_matches',
        detailOf(taken),
        { filters: { ...params }, ...taken, list: leads.path, as_of: manifest.as_of, snapshot_id: snapshot.id },
        taken.being_bought > 0 ? { 'Retry-After': '60' } : {},
      );
    },
  });

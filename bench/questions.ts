/** Paid questions of every kind that a snapshot can answer, drawn from its own rows so that each is answered, and in an order that is always the same. */
import { join } from 'node:path';
import type { PaymentRequirements } from '@x402/core/types';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { literal } from '../lib/sql.ts';
import { fetchPaymentRequired } from '../test/api/support/buyers.ts';
import type { Asked } from './load.ts';
import { paymentFor } from './servers/approving.ts';

type Row = Readonly<Record<string, unknown>>;
/** A whole number from 0, below this one. */
type Draw = (below: number) => number;

export const KINDS = ['deals', 'signals', 'auctions', 'leads', 'filings', 'lookup', 'report'] as const;
export type Kind = (typeof KINDS)[number];

/** Rows that questions are drawn from. */
const DRAWN_FROM = 2_000;
const TABLE: Readonly<Record<Kind, readonly [table: string, condition: string]>> = {
  deals: ['deals', "listing_status = 'active' AND list_price IS NOT NULL"],
  lookup: ['deals', 'address_key IS NOT NULL'],
  report: ['deals', 'true'],
  signals: ['signals', "signal_state = 'listed' AND amount IS NOT NULL"],
  auctions: ['auctions', "sale_date >= DATE '2026-11-20' AND sale_status = 'scheduled'"],
  leads: ['leads', "sale_date IS NULL OR sale_date >= DATE '2026-11-20'"],
  filings: ['filings', 'true'],
};

/** Numbers that are always the same. */
function draws(seed: number): Draw {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const listed = (path: string, draw: Draw, filters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams({ limit: String(1 + draw(100)) });
  // Each filter in half of the questions.
  for (const [name, value] of Object.entries(filters)) if (value !== undefined && draw(2) === 0) query.set(name, value);
  return `${path}?${query.toString()}`;
};

/** A question that this row is an answer to. */
const QUESTION: Readonly<Record<Kind, (row: Row, draw: Draw) => string>> = {
  deals: (r, draw) =>
    listed('/api/deals', draw, {
      state: String(r['state']),
      city: String(r['city']),
      max_price: String(Math.ceil(Number(r['list_price'])) + draw(100_000)),
      min_score: String(Math.max(0, Number(r['deal_score']) - draw(20))),
    }),
  signals: (r, draw) =>
    listed('/api/signals', draw, {
      county: String(r['county']),
      min_amount: String(Math.max(0, Math.floor(Number(r['amount'])) - draw(5_000))),
    }),
  auctions: (r, draw) =>
    listed('/api/auctions', draw, { county: String(r['county']), from_date: String(r['sale_date']) }),
  leads: (r, draw) =>
    listed('/api/leads', draw, {
      county: String(r['county']),
      min_score: String(Math.max(0, Number(r['lead_score']) - draw(20))),
    }),
  filings: (r, draw) =>
    listed('/api/filings', draw, {
      state: String(r['source_state']),
      entity_type: String(r['entity_type']),
      to_date: String(r['filing_date']),
    }),
  lookup: (r) => `/api/lookup?${new URLSearchParams({ address: String(r['address']) }).toString()}`,
  report: (r) => `/api/deals/${String(r['id'])}/report`,
};

/** The next question of a kind. */
export type Ask = (kind: Kind) => string;

/** Questions to the snapshot in `folder`. */
export async function questionsTo(folder: string, seed: number): Promise<Ask> {
  const duck = await openDuck();
  const rows = new Map<Kind, Row[]>();
  try {
    for (const kind of KINDS) {
      const [table, condition] = TABLE[kind];
      rows.set(
        kind,
        await rowsOf(
          duck.connection,
          `SELECT * FROM read_parquet(${literal(join(folder, `${table}.parquet`))}) WHERE ${condition} USING SAMPLE reservoir(${DRAWN_FROM} ROWS) REPEATABLE (7)`,
        ),
      );
    }
  } finally {
    duck.close();
  }
  const draw = draws(seed);
  return (kind) => {
    const of = rows.get(kind) ?? [];
    return QUESTION[kind](of[draw(of.length)] ?? {}, draw);
  };
}

/** Puts a payment of its own to each question, as the server at `url` asks for it. */
export async function payingFor(url: string, ask: Ask): Promise<(kind: Kind) => Asked> {
  const terms = new Map<Kind, PaymentRequirements>();
  for (const kind of KINDS) {
    const [accepted] = (await fetchPaymentRequired(url + ask(kind))).accepts;
    if (!accepted) throw new Error(`a question of ${kind} is not sold`);
    terms.set(kind, accepted as PaymentRequirements);
  }
  return (kind) => {
    const accepted = terms.get(kind);
    if (!accepted) throw new Error(`nothing is known of the price of ${kind}`);
    return { path: ask(kind), headers: { 'payment-signature': paymentFor(accepted) } };
  };
}

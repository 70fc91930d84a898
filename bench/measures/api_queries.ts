/** Paid queries over HTTP, each asked once, against Fastify and PostgreSQL over the same records. */
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PaymentRequirements } from '@x402/core/types';
import { Client } from 'pg';
import { loadSnapshot, type Snapshot } from '../../api/snapshot/load.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { fetchPaymentRequired } from '../../test/api/support/buyers.ts';
import { startPostgres } from '../../test/ledger/postgres_started.ts';
import { runDay } from '../../test/pipelines/runs.ts';
import { defineBench, type Bench, type Size } from '../contract.ts';
import { drive, type Asked } from '../load.ts';
import { startProgram } from '../programs.ts';
import { paymentFor } from '../servers/approving.ts';

const WORLD: Readonly<
  Record<
    Size,
    { readonly listings: number; readonly parcels: number; readonly auctions: number; readonly filings: number }
  >
> = {
  full: { listings: 600, parcels: 4000, auctions: 250, filings: 500 },
  quick: { listings: 200, parcels: 600, auctions: 100, filings: 100 },
};
const SECONDS: Readonly<Record<Size, number>> = { full: 8, quick: 1 };
/** Payments that are made before the clock starts, for each second: what a buyer computes is no work of a server. More are made as they are asked for. */
const PAYMENTS_A_SECOND = 2_500;

/** Columns that the baseline filters, ranks and looks up by; the rest of a record is its JSON. */
const COLUMNS = {
  deals:
    'id text, state text, city text, zip text, list_price numeric, cap_rate numeric, units integer, deal_score integer, rental_status text, listing_status text, address_key text',
  signals: 'id text, address_key text',
  auctions: 'id text, address_key text',
} as const;
const INDEXES = [
  'CREATE INDEX ON deals (deal_score DESC, id)',
  'CREATE INDEX ON deals (state, deal_score DESC, id)',
  'CREATE INDEX ON deals (city, deal_score DESC, id)',
  'CREATE INDEX ON deals (list_price)',
  'CREATE INDEX ON deals (cap_rate)',
  'CREATE INDEX ON deals (units)',
  'CREATE INDEX ON deals (rental_status, deal_score DESC, id)',
  'CREATE INDEX ON deals (address_key)',
  'CREATE INDEX ON signals (address_key)',
  'CREATE INDEX ON auctions (address_key)',
];

type Table = keyof typeof COLUMNS;
type Rows = Readonly<Record<Table, readonly Readonly<Record<string, unknown>>[]>>;

const rowsOf = async (snapshot: Snapshot): Promise<Rows> => ({
  deals: await snapshot.records('deals', ''),
  signals: await snapshot.records('signals', ''),
  auctions: await snapshot.records('auctions', ''),
});

async function fill(url: string, rows: Rows): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of Object.keys(COLUMNS) as Table[]) {
      const names = COLUMNS[table].split(', ').map((c) => c.split(' ')[0] ?? '');
      await client.query(`CREATE TABLE ${table} (${COLUMNS[table]}, record text)`);
      for (const row of rows[table]) {
        const values = names.map((n) => (n === 'city' ? String(row[n]).toLowerCase() : (row[n] ?? null)));
        await client.query(
          `INSERT INTO ${table} VALUES (${[...names, 'record'].map((_, i) => `$${i + 1}`).join(', ')})`,
          [...values, JSON.stringify(row)],
        );
      }
    }
    for (const index of INDEXES) await client.query(index);
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

/** Numbers that are always the same. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

interface Question {
  readonly ours: string;
  readonly theirs: string;
}

/** Lists by filters that a deal of the snapshot passes, so that each is answered. */
function lists(rows: Rows, seed: number): () => Question {
  const draw = draws(seed);
  const active = rows.deals.filter((d) => d['listing_status'] === 'active');
  return () => {
    const deal = active[draw(active.length)] ?? {};
    const query = new URLSearchParams({ limit: String(1 + draw(100)) });
    if (draw(2) === 0) query.set('state', String(deal['state']));
    if (draw(3) === 0) query.set('city', String(deal['city']));
    if (draw(3) === 0 && deal['list_price'] !== null)
      query.set('max_price', String(Math.ceil(Number(deal['list_price'])) + draw(100_000)));
    if (draw(3) === 0) query.set('min_score', String(Math.max(0, Number(deal['deal_score']) - draw(20))));
    if (draw(4) === 0 && deal['cap_rate'] !== null)
      query.set('min_cap', Math.max(0, Number(deal['cap_rate']) - draw(100) / 100).toFixed(2));
    if (draw(4) === 0) query.set('status', String(deal['rental_status']));
    const path = `/api/deals?${query.toString()}`;
    return { ours: path, theirs: path };
  };
}

/** Lookups of addresses that the snapshot knows, each spelled as nobody spelled it before, so that none is known already. */
function lookups(rows: Rows, seed: number): () => Question {
  const draw = draws(seed);
  const spelled = (address: string): string =>
    Array.from(address, (letter) => (draw(2) === 0 ? letter.toLowerCase() : letter.toUpperCase())).join('');
  const known = rows.deals.filter((d) => d['address_key'] !== null);
  return () => {
    const deal = known[draw(known.length)] ?? {};
    return {
      ours: `/api/lookup?${new URLSearchParams({ address: spelled(String(deal['address'])) }).toString()}`,
      theirs: `/api/lookup?${new URLSearchParams({ address: String(deal['address_key']) }).toString()}`,
    };
  };
}

const bench = (
  name: string,
  what: string,
  questions: (rows: Rows, seed: number) => () => Question,
  fullOnly = false,
): Bench =>
  defineBench({
    name,
    what,
    fullOnly,
    baseline: 'Fastify and PostgreSQL over the same records, without payments',
    unit: 'requests/s',
    target: { atLeast: 1.5 },
    limits: { p99_ratio: { atMost: 1, unit: 'ours/baseline' } },
    repetitions: { full: 5, quick: 2 },
    async open(size) {
      const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-api-'));
      const layout = layoutOf(join(folder, 'data'));
      await runDay({ layout, world: makeWorld({ seed: 7, ...WORLD[size] }), day: '2026-11-20' });
      const snapshot = await loadSnapshot(join(layout.root, await readlink(layout.current)));
      const rows = await rowsOf(snapshot);
      snapshot.close();
      const postgres = await startPostgres();
      await fill(postgres.url, rows);
      const [ours, unpaid, theirs] = [
        await startProgram('dealfeed.ts', [layout.root, join(folder, 'ledger.sqlite')]),
        await startProgram('unpaid.ts', [layout.root]),
        await startProgram('fastify_postgres.ts', [postgres.url]),
      ];
      const accepted = (await fetchPaymentRequired(ours.url + questions(rows, 0)().ours))
        .accepts[0] as PaymentRequirements;
      let seed = 1;
      const load = async (seconds: number) => {
        seed += 1;
        const [a, b, c] = [questions(rows, seed), questions(rows, seed), questions(rows, seed)];
        const payments = Array.from({ length: seconds * PAYMENTS_A_SECOND }, () => paymentFor(accepted));
        const paid = (): Asked => ({
          path: a().ours,
          headers: { 'payment-signature': payments.pop() ?? paymentFor(accepted) },
        });
        return {
          ours: await drive(ours.url, paid, { seconds }),
          theirs: await drive(theirs.url, () => ({ path: b().theirs }), { seconds }),
          unpaid: await drive(unpaid.url, () => ({ path: c().ours }), { seconds }),
        };
      };
      // Both are warm before the first is timed.
      await load(SECONDS[size]);
      return {
        async measure() {
          const { ours: o, theirs: t, unpaid: u } = await load(SECONDS[size]);
          return {
            ours: o.rate,
            baseline: t.rate,
            also: {
              p99_ratio: o.p99 / t.p99,
              ours_p99_ms: o.p99,
              baseline_p99_ms: t.p99,
              ours_p50_ms: o.p50,
              baseline_p50_ms: t.p50,
              unpaid_ratio: u.rate / t.rate,
              unpaid_p99_ratio: u.p99 / t.p99,
            },
          };
        },
        async close() {
          await Promise.all([ours.stop(), unpaid.stop(), theirs.stop()]);
          await postgres.remove();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  });

export default [
  bench('queries_deals', 'GET /api/deals by distinct filters, paid', lists),
  bench('queries_lookup', 'GET /api/lookup by address, paid', lookups, true),
];

/** What callers wait for: lists and lookups without payments, and a paid call. */
import { openChain, paidCalls, startDealfeed } from '../dealfeed.ts';
import { largerSnapshot } from '../enlarged.ts';
import type { Figure, Measure } from '../figures.ts';
import { sampleOf, worldFolder, type Row } from '../enlarged.ts';
import { load } from '../programs.ts';
import { startWithRecords } from '../postgres.ts';
import { startServer } from '../programs.ts';
import { sized } from '../settings.ts';

/** Calls of a repetition, and deals that questions are made from. */
const [CALLS, DEALS] = sized([2_000, 500] as const, [300, 60] as const);
/** A question as each of two servers is asked. */
type Question = readonly [ours: string, theirs: string];

const draw = (below: number): number => Math.floor(Math.random() * below);
const pathOf = (path: string, query: Readonly<Record<string, unknown>>): string =>
  `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}`;

/** A list by filters that this deal passes. */
function askList({ state, city, list_price, deal_score }: Row): Question {
  const max_price = Math.ceil(Number(list_price)) + draw(100_000);
  const min_score = Math.max(0, Number(deal_score) - draw(20));
  const filters = Object.entries({ state, city, max_price, min_score }).filter(() => draw(2) === 0);
  const path = pathOf('/api/deals', { ...Object.fromEntries(filters), limit: 1 + draw(100) });
  return [`${path}&fields=all`, path];
}

/** A lookup in another mixture of upper and lower case each time, so that its normalized form is never cached. */
function askLookup({ address: known, address_key: key }: Row): Question {
  const address = Array.from(String(known), (c) => (draw(2) === 0 ? c.toLowerCase() : c.toUpperCase())).join('');
  return [pathOf('/api/lookup', { address }), pathOf('/api/lookup', { address, key })];
}

/** An answer but for the text of its cursor. */
const bodyOf = async (url: string): Promise<string> =>
  (await (await fetch(url)).text()).replace(/"next_cursor":"[^"]*"/u, '"next_cursor":""');

const queriesAt = (name: string, at: string, folderOf: () => Promise<string>): Measure => ({
  name,
  repetitions: 5,
  lines: {
    lists: [`lists unpaid at ${at}, 16 callers`, 'Fastify and PostgreSQL, indexed, same JSON', 'calls/s', '≥ 1×'],
    lookups: [
      `lookups unpaid at ${at}, 16 callers`,
      'Fastify and PostgreSQL, indexed, same JSON',
      'calls/s',
      '≥ 0.75×',
    ],
  },
  async open() {
    const folder = await folderOf();
    const wanted = "listing_status = 'active' AND address_key IS NOT NULL AND list_price IS NOT NULL";
    const deals = await sampleOf(folder, 'deals', wanted, DEALS);
    const ours = await startServer('routes.ts', [folder]);
    const asked = ['/api/deals?limit=1&fields=all', askLookup(deals[0] ?? {})[0]];
    const samples = await Promise.all(asked.map((path) => bodyOf(ours + path)));
    const theirs = await startServer('fastify_postgres.ts', [await startWithRecords(folder), ...samples]);
    const isSame = async ([a, b]: Question) => (await bodyOf(ours + a)) === (await bodyOf(theirs + b));
    // Only ours finds ranges and other units of a street: deals that have some are left out.
    const known: Row[] = [];
    for (const deal of deals) {
      if (!(await isSame(askList(deal)))) throw new Error('a list is not the same JSON as that of the baseline');
      if (await isSame(askLookup(deal))) known.push(deal);
    }
    if (known.length < DEALS / 2) throw new Error(`only ${known.length} of ${DEALS} lookups are the same JSON`);
    const compare = async (ask: (deal: Row) => Question): Promise<Figure> => {
      const questions = Array.from({ length: CALLS }, () => ask(known[draw(known.length)] ?? {}));
      const [calls, theirCalls] = [questions.map(([path]) => ({ path })), questions.map(([, path]) => ({ path }))];
      const before = await load(theirs, theirCalls, 16);
      return [(await load(ours, calls, 16)).rate, before.rate];
    };
    const repeat = async () => ({ lists: await compare(askList), lookups: await compare(askLookup) });
    await repeat();
    return repeat;
  },
});

export const queries = queriesAt('queries', '1×', worldFolder);
export const queriesLarge = queriesAt('queries_large', '100×', largerSnapshot);

export const paidCall: Measure = {
  name: 'paid_call',
  repetitions: 5,
  lines: {
    paid: ['a paid call end to end on a local chain', '`@x402/express`, same handler and settlement', 'ms', '≤ 1.15×'],
  },
  async open() {
    const [folder, { facilitator, payTo }] = [await worldFolder(), await openChain()];
    const { url: ours } = await startDealfeed(folder);
    const theirs = await startServer('routes.ts', [folder, facilitator, payTo]);
    /** Mean milliseconds of one caller. */
    const mean = async (url: string): Promise<number> =>
      1000 / (await load(url, await paidCalls(url, '/api/deals?limit=20', sized(200, 20)), 1)).rate;
    const repeat = async () => {
      const before = await mean(theirs);
      return { paid: [await mean(ours), before] as const };
    };
    await repeat();
    return repeat;
  },
};

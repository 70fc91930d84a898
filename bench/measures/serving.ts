/**
 * What operators plan by: the build at 100×, and start, memory and answers of a server at the real size. What callers
 * wait for: lists and lookups without payments, and a paid call.
 */
import { paidCalls, startDealfeed, openChain } from '../dealfeed.ts';
import {
  build,
  LARGER,
  largerFolder,
  SMALLER,
  smallerFolder,
  sampleOf,
  TODAY,
  WORLD,
  type Row,
  largerSnapshot,
  worldFolder,
} from '../enlarged.ts';
import type { Measure, Figure } from '../figures.ts';
import { load, memoryOf, runPipeline, startServer, type Call } from '../programs.ts';
import { newFolder, sized } from '../settings.ts';
import { dropRegister, registerExport } from './pipeline.ts';
import { startWithRecords } from '../postgres.ts';

/** Megabytes of a GiB. */
const GIB_MB = 2 ** 30 / 1e6;
/** Names are searched by their first letters, as people type them. */
const NAME_LETTERS = 9;

export const realSize: Measure = {
  name: 'real_size',
  repetitions: 5,
  lines: {
    start: ['start of the server with 3,000,000 filings and 600 deals', '', 's', '≤ 0.5'],
    memory: ['its resident memory after 40 paid calls', '', 'MB', '≤ 300'],
    page: ['a page of filings, p50 of 4 callers', '', 'ms', '≤ 60'],
    search: ['a search in names, p50 of 4 callers', '', 'ms', '≤ 60'],
    held: ['longest time that a search or a page holds the event loop', '', 'ms', '≤ 10'],
    turn: ['the same without the wait of its thread for a core', '', 'ms', '≤ 10'],
    light: ['a lookup beside 2 callers of searches, p99', '', 'ms', '≤ 60'],
  },
  async open() {
    const folder = newFolder('real');
    await dropRegister(folder, await registerExport());
    await runPipeline({ ...WORLD, DATA_DIR: folder, DAY: TODAY });
    const filings = await sampleOf(folder, 'filings', `length(business_name) > ${NAME_LETTERS}`, sized(200, 20));
    const deals = await sampleOf(folder, 'deals', 'address_key IS NOT NULL', sized(200, 20));
    const pages = filings.map((filing) => ({ path: `/api/filings?to_date=${String(filing['filing_date'])}` }));
    const nameOf = (filing: Row): string =>
      encodeURIComponent(String(filing['business_name']).slice(0, NAME_LETTERS).trim());
    const searches = filings.map((filing) => ({ path: `/api/filings?name=${nameOf(filing)}` }));
    const lookups = deals.map(({ address }) => ({
      path: `/api/lookup?address=${encodeURIComponent(String(address))}`,
    }));
    const some = [...pages.slice(0, 20), ...searches.slice(0, 20)];
    const routes = await startServer('routes.ts', [folder]);
    const p50 = async (calls: readonly Call[]): Promise<number> => (await load(routes, calls, 4)).p50;
    const heldMs = async () =>
      (await (await fetch(`${routes}/held`)).json()) as { readonly held: number; readonly turn: number };
    await p50(some);
    return async () => {
      const { url, child, seconds, stop } = await startDealfeed(folder);
      for (const { path } of some) await load(url, await paidCalls(url, path, 1), 1);
      const memory = memoryOf(child, 'VmRSS') * GIB_MB;
      await stop();
      await heldMs();
      const [page, search] = [await p50(pages), await p50(searches)];
      const { held, turn } = await heldMs();
      const [{ p99 }] = await Promise.all([load(routes, lookups, 1), load(routes, searches, 2)]);
      return {
        start: [seconds],
        memory: [memory],
        page: [page],
        search: [search],
        held: [held],
        turn: [turn],
        light: [p99],
      };
    };
  },
};

/** Calls after which the memory of a server is measured. */
const PAID = ['/api/deals?limit=20', '/api/signals?state=OH', '/api/auctions', '/api/filings?name=llc'];

export const large: Measure = {
  name: 'large',
  repetitions: 1,
  lines: {
    build: ['models at 100× with 90 days of history, published', 'time per row at 10×', 's', '≤ 1.2×'],
    start: ['start of the server at 100×', '', 's', '≤ 0.5'],
    resident: ['its resident memory after 40 paid calls', '', 'MB', '≤ 300'],
  },
  async open() {
    const [smaller, larger] = [await smallerFolder(), await largerFolder()];
    return async () => {
      const expected = (await build(smaller)).seconds * (LARGER / SMALLER);
      const { url, child, seconds, stop } = await startDealfeed(larger);
      for (const path of PAID) await load(url, await paidCalls(url, path, 10), 1);
      const resident = memoryOf(child, 'VmRSS') * GIB_MB;
      await stop();
      return { build: [(await build(larger)).seconds, expected], start: [seconds], resident: [resident] };
    };
  },
};

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

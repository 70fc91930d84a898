/**
 * Servers whose clocks jump while they sell: processes on one ledger and one chain. Two have clocks that jump by
 * minutes, hours and days at random instants, and one has the right clock, the chain's time. The node loses replies,
 * some buyers have wrong clocks, and the chain's time runs ahead. clock_moments.test.ts moves one clock between two
 * requests. `make prove ONLY=sales_clocks N=200 SEED=1` makes 200 jumps on each kind of ledger.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../lib/time.ts';
import { all } from '../ledger/purchases.ts';
import { clockedServer, MINUTE_MS, SECOND_MS, type ClockedServer } from './clocked_server.ts';
import { nodeProxy, UNHARMED, type Fate } from '../node/node.ts';
import { buying, randomFrom, type Pace } from './sales_buying.ts';
import { drawnUp, openSales, passOnChain, type Account, type Attempt } from './sales_world.ts';
import { casesOf, seedFrom } from '../thorough.ts';

const [SERVERS, JUMPING, BUYERS, PROPERTIES] = [3, 2, 5, 2000];
const WARM_UP = 6;
/** How far a clock jumps, forward or back. */
const AWAY_MS = [
  30 * SECOND_MS,
  90 * SECOND_MS,
  7 * MINUTE_MS,
  20 * MINUTE_MS,
  HOUR_MS,
  5 * HOUR_MS,
  DAY_MS,
  3 * DAY_MS,
  40 * DAY_MS,
];
/** Largest error of a buyer's clock. With more, a payment would stay open for longer than its answer is stored. */
const MAX_BUYER_MS = 3 * DAY_MS;
/** Readings of the clock after which it jumps, at most: a purchase makes some thirty. */
const MAX_READINGS = 40;
/** Jumps between two restarts of a jumping server, and between two jumps of the chain's time; how far that goes. */
const [RESTART_EVERY, CHAIN_EVERY, MIN_CHAIN_SECONDS, MAX_CHAIN_SECONDS] = [16, 15, 60, 400];
/** Shares of settlements: the reply is lost, the settlement is lost, it arrives after the server's wait, it is slow. */
const [REPLY_LOST, LOST, HELD, SLOW] = [0.12, 0.04, 0.03, 0.3];
const [HELD_MS, SLOW_MS] = [12_000, 300];
/** How many of those who had their answer collect it too, and how often they try the same signature again. */
const [COLLECTS, SAME_AGAIN] = [0.4, 5];

interface ClockOptions {
  readonly ledger: 'sqlite' | 'postgres';
  readonly jumps: number;
  readonly seed: number;
  readonly collect: number;
}

interface ClockResult extends Account {
  readonly jumps: number;
  /** Of them those that fell between two readings of the clock by work that was going on. */
  readonly betweenReadings: number;
  /** Jumps while a purchase was reserved, was settling, or had an unknown outcome. */
  readonly open: { readonly reserved: number; readonly settling: number; readonly unknown: number };
  readonly restarts: number;
  readonly chainJumps: number;
  readonly settlements: {
    readonly settlements: number;
    readonly lostReplies: number;
    readonly lost: number;
    readonly held: number;
  };
  /** Signatures that collected, and times they were tried again. */
  readonly signatures: { collected: number; again: number };
}

/** Collect with one signature, again and again at any server while clocks jump. */
async function collectAgain(
  { buyer, nonce }: Attempt,
  anyUrl: () => string,
  random: () => number,
  signatures: ClockResult['signatures'],
  broken: string[],
): Promise<void> {
  const asked = anyUrl();
  const at = (url: string): string => `${url}/api/purchases/${nonce}`;
  let worked = 0;
  let header: string;
  try {
    header = await buyer.signIn(at(asked));
  } catch {
    return;
  }
  for (let n = 0; n <= SAME_AGAIN; n += 1) {
    try {
      const response = await fetch(at(random() < 0.7 ? asked : anyUrl()), { headers: { 'SIGN-IN-WITH-X': header } });
      await response.arrayBuffer();
      if (worked > 0) signatures.again += 1;
      if (response.status === 200) worked += 1;
    } catch {
      /* Its server was restarted. */
    }
    await sleep(random() * 1500);
  }
  if (worked > 0) signatures.collected += 1;
  if (worked > 1) broken.push(`one signature collected payment ${nonce} ${worked} times`);
}

/** Sell while clocks jump, then compare the ledger with the chain. */
async function sellUnderClocks({ ledger: kind, jumps, seed, collect }: ClockOptions): Promise<ClockResult> {
  const random = randomFrom(seed);
  const world = await openSales(kind, { properties: PROPERTIES, buyers: BUYERS });
  const fate = (): Fate => {
    const [n, some] = [random(), random()];
    if (n < REPLY_LOST) return { ...UNHARMED, afterMs: some * SLOW_MS, replied: false };
    if (n < REPLY_LOST + LOST) return { ...UNHARMED, sent: false };
    if (n < REPLY_LOST + LOST + HELD) return { ...UNHARMED, afterMs: HELD_MS };
    return n < REPLY_LOST + LOST + HELD + SLOW ? { ...UNHARMED, afterMs: some * SLOW_MS } : UNHARMED;
  };
  const node = await nodeProxy(world.chain.rpcUrl, fate);
  const broken: string[] = [];
  const servers: (ClockedServer | undefined)[] = [];
  /** How far the chain's time is ahead of this machine's. */
  let rightMs = 0;
  const count = { jumps: 0, betweenReadings: 0, restarts: 0, chainJumps: 0, reserved: 0, settling: 0, unknown: 0 };
  const signatures = { collected: 0, again: 0 };
  const start = (offsetMs: number): Promise<ClockedServer> =>
    clockedServer({ ...world.env, SANDBOX_RPC: node.url }, offsetMs);
  const awayMs = (): number =>
    rightMs + (random() < 0.5 ? -1 : 1) * (AWAY_MS[Math.floor(random() * AWAY_MS.length)] ?? 0);
  try {
    servers.push(...(await Promise.all(Array.from({ length: SERVERS }, () => start(0)))));
    const attempts: Attempt[] = [];
    const pace: Pace = { sent: 0, handlerMs: 200 };
    const stopping = new AbortController();
    const urls = (): string[] => servers.flatMap((s) => (s ? [s.url] : []));
    const anyUrl = (): string => urls()[Math.floor(random() * urls().length)] ?? '';
    const collectors: Promise<unknown>[] = [];
    const sales = Promise.all(
      world.buyers.map((buyer) =>
        buying(buyer, {
          urls,
          random,
          attempts,
          pace,
          stopped: stopping.signal,
          broken,
          aheadSeconds: () => {
            const n = random();
            if (n < 0.7) return Math.round(rightMs / SECOND_MS);
            const theirs = servers[Math.floor(random() * JUMPING)]?.offsetMs() ?? 0;
            return Math.round((n < 0.85 ? Math.max(-MAX_BUYER_MS, Math.min(MAX_BUYER_MS, theirs)) : 0) / SECOND_MS);
          },
          answered(attempt) {
            if (random() >= COLLECTS) return;
            collectors.push(collectAgain(attempt, anyUrl, random, signatures, broken));
          },
        }),
      ),
    );
    const looking = await world.openLedger();
    const over = (): boolean => count.jumps >= jumps;
    while (attempts.filter((a) => a.answer).length < WARM_UP) await sleep(20);

    const jumped = async (server: ClockedServer, offsetMs: number): Promise<void> => {
      const how = await server.jump(offsetMs, Math.floor(random() * MAX_READINGS));
      if (how === null) return;
      count.jumps += 1;
      if (how === 'reading') count.betweenReadings += 1;
      const open = (await all(looking.purchases()).catch(() => [])).filter(
        (p) => p.state === 'reserved' || p.state === 'settling',
      );
      if (open.some((p) => p.state === 'reserved')) count.reserved += 1;
      if (open.some((p) => p.state === 'settling' && p.why === null)) count.settling += 1;
      if (open.some((p) => p.why !== null)) count.unknown += 1;
    };
    const jumper = async (slot: number): Promise<void> => {
      for (let own = 1; !over(); own += 1) {
        const server = servers[slot];
        if (!server) throw new Error(`there is no server ${slot}`);
        await sleep(random() * pace.handlerMs);
        if (own % RESTART_EVERY === 0) {
          servers[slot] = undefined;
          await server.end(random() < 0.5 ? 'SIGKILL' : 'SIGTERM');
          servers[slot] = await start(awayMs());
          count.restarts += 1;
          continue;
        }
        await jumped(server, awayMs());
        await sleep(random() * 1200);
        if (random() < 0.7) await jumped(server, rightMs);
      }
    };
    const chainAndRight = async (): Promise<void> => {
      while (!over()) {
        if (count.jumps < (count.chainJumps + 1) * CHAIN_EVERY) {
          await sleep(20);
          continue;
        }
        const seconds = Math.floor(MIN_CHAIN_SECONDS + random() * (MAX_CHAIN_SECONDS - MIN_CHAIN_SECONDS));
        await passOnChain(world.chain, seconds);
        count.chainJumps += 1;
        // For a while the chain is ahead of everybody.
        await sleep(random() * 1500);
        rightMs += seconds * SECOND_MS;
        await servers[SERVERS - 1]?.jump(rightMs);
      }
    };
    await Promise.all([chainAndRight(), ...Array.from({ length: JUMPING }, (_, slot) => jumper(slot))]);
    stopping.abort();
    await sales;
    await Promise.all(collectors);
    await looking.close();
    for (const server of servers.splice(0)) await server?.end('SIGKILL');

    // Requests in flight arrive. Then the chain's time passes every validBefore, and a server with the right clock
    // resolves everything open.
    await node.idle();
    const passed = MAX_BUYER_MS + HOUR_MS;
    await passOnChain(world.chain, passed / SECOND_MS);
    const last = await clockedServer(world.env, rightMs + passed);
    servers.push(last);
    const account = await drawnUp(world, attempts, last.url, collect);
    const { reserved, settling, unknown, ...counts } = count;
    return {
      ...account,
      ...counts,
      broken: [...broken, ...account.broken],
      open: { reserved, settling, unknown },
      settlements: node.seen,
      signatures,
    };
  } finally {
    for (const server of servers) await server?.end('SIGKILL');
    await node.close();
    await world.close();
  }
}

const JUMPS = casesOf(10);

describe('clocks that jump', { concurrency: 2 }, () => {
  for (const ledger of ['sqlite', 'postgres'] as const) {
    test(`on ${ledger}, after ${JUMPS} jumps, the books equal the chain, and buyers have answers`, async () => {
      const result = await sellUnderClocks({ ledger, jumps: JUMPS, seed: seedFrom(7), collect: 20 });
      assert.deepEqual(result.broken, []);
      assert.ok(result.jumps >= JUMPS, JSON.stringify(result));
      assert.ok(
        result.sold > 5 && result.answered > 5 && result.open.settling + result.open.unknown > 3,
        `sales were made: ${JSON.stringify(result)}`,
      );
    });
  }
});

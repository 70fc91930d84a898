/**
 * Servers killed at random instants while they sell: clock_moments.test.ts kills one server during one settlement;
 * this adds random instants, three servers, PostgreSQL and a locked ledger. `make prove ONLY=sales_kills N=300 SEED=1`
 * kills 300 on each kind of ledger.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverProcess, type ServerProcess } from '../process/program.ts';
import { child } from '../ledger/processes.ts';
import { all } from '../ledger/purchases.ts';
import { buying, randomFrom, type Pace } from './sales_buying.ts';
import { drawnUp, openSales, passOnChain, type Account, type Attempt } from './sales_world.ts';
import { casesOf, seedFrom } from '../thorough.ts';

const [SERVERS, BUYERS, PROPERTIES] = [3, 6, 2000];
/** Most paid requests between the start of a server and its kill, and the longest wait for them. */
const [MAX_REQUESTS, MAX_LIFE_MS] = [5, 20_000];
/** Answers before the first kill. They show how long an answer takes on this machine. */
const WARM_UP = 8;

interface KillOptions {
  readonly ledger: 'sqlite' | 'postgres';
  readonly kills: number;
  readonly seed: number;
  /** Charged purchases that are collected over HTTP at the end; the bytes of all are compared with their hash. */
  readonly collect: number;
}

interface KillResult extends Account {
  readonly kills: number;
  /** Kills that left a settling purchase or a reservation. */
  readonly leftOpen: number;
  readonly troubles: readonly string[];
}

/** Sell while servers are killed, then compare the ledger with the chain. */
async function sellUnderKills({ ledger: kind, kills, seed, collect }: KillOptions): Promise<KillResult> {
  const random = randomFrom(seed);
  const world = await openSales(kind, { properties: PROPERTIES, buyers: BUYERS });
  const { chain, postgres } = world;
  const broken: string[] = [];
  const troubles: string[] = [];
  const servers: (ServerProcess | undefined)[] = [];
  const start = (): Promise<ServerProcess> => serverProcess(world.env);
  try {
    servers.push(...(await Promise.all(Array.from({ length: SERVERS }, start))));
    const attempts: Attempt[] = [];
    const pace: Pace = { sent: 0, handlerMs: 200 };
    const stopping = new AbortController();
    const urls = (): string[] => servers.flatMap((s) => (s ? [s.url] : []));
    const sales = Promise.all(
      world.buyers.map((buyer) => buying(buyer, { urls, random, attempts, pace, stopped: stopping.signal, broken })),
    );

    const count = { killed: 0, leftOpen: 0 };
    const looking = await world.openLedger();
    while (attempts.filter((a) => a.answer).length < WARM_UP) await sleep(20);
    const killer = async (slot: number): Promise<void> => {
      while (count.killed < kills) {
        // Somewhere within the time that a paid request takes, from its being sent to its being answered.
        const [enough, latestMs] = [pace.sent + 1 + Math.floor(random() * MAX_REQUESTS), Date.now() + MAX_LIFE_MS];
        while (pace.sent < enough && Date.now() < latestMs) await sleep(2);
        await sleep(random() * pace.handlerMs);
        const victim = servers[slot];
        if (!victim || count.killed >= kills) return;
        count.killed += 1;
        await victim.end('SIGKILL');
        servers[slot] = undefined;
        if (
          (await all(looking.purchases()).catch(() => [])).some((p) => p.state === 'settling' || p.state === 'reserved')
        )
          count.leftOpen += 1;
        servers[slot] = await start();
      }
    };
    const half = Math.min(kills / 2, 20);
    const trouble = async (): Promise<void> => {
      while (count.killed < half) await sleep(50);
      if (postgres) {
        await postgres.stop('immediate');
        await sleep(300);
        await postgres.start();
        troubles.push('PostgreSQL lost its power in the middle');
      } else {
        const locker = child('lock', world.place);
        await locker.started;
        if (locker.lines.length === 0) throw new Error(`the ledger could not be locked: ${locker.errors()}`);
        await sleep(2000);
        locker.process.stdin.write('release\n');
        await once(locker.process, 'close');
        troubles.push('another process kept the ledger locked for 2 s');
      }
    };
    await Promise.all([trouble(), ...servers.map((_, slot) => killer(slot))]);
    stopping.abort();
    await sales;
    await looking.close();
    for (const server of servers.splice(0)) await server?.end('SIGKILL');

    // The chain's time passes every validBefore, so that open payments can no longer settle. Then a new server starts.
    await passOnChain(chain, 3600);
    const last = await start();
    servers.push(last);
    const account = await drawnUp(world, attempts, last.url, collect);
    return {
      ...account,
      broken: [...broken, ...account.broken],
      kills: count.killed,
      leftOpen: count.leftOpen,
      troubles,
    };
  } finally {
    for (const server of servers) await server?.end('SIGKILL');
    await world.close();
  }
}

const KILLS = casesOf(4);

for (const ledger of ['sqlite', 'postgres'] as const) {
  test(`on ${ledger}, after ${KILLS} kills, the ledger equals the chain and buyers have their answers`, async () => {
    const result = await sellUnderKills({ ledger, kills: KILLS, seed: seedFrom(7), collect: 20 });
    assert.deepEqual(result.broken, []);
    assert.equal(result.kills, KILLS);
    assert.ok(result.sold > 5 && result.answered > 5, `sales were made: ${JSON.stringify(result)}`);
    assert.equal(result.troubles.length, 1);
  });
}

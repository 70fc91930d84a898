/**
 * Servers killed at random instants while they sell: clock_moments.test.ts kills one server during one settlement;
 * this adds random instants, three servers, PostgreSQL and a locked ledger. `make prove ONLY=sales_kills N=300 SEED=1`
 * kills 300 on each kind of ledger.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Buyer } from '../api/support/buyers.ts';
import { uuid } from '../api/support/snapshot_fixtures.ts';
import { serverProcess, type ServerProcess } from '../support/program.ts';
import { lockFile } from '../ledger/processes.ts';
import { drawnUp, EXCLUSIVE, openSales, passOnChain, present, sign, type Attempt } from './sales_world.ts';
import { casesOf, seedFrom } from '../thorough.ts';

const KILLS = casesOf(4);
const [SERVERS, BUYERS, PROPERTIES] = [3, 6, 2000];
/** Most paid requests between the start of a server and its kill, and the longest wait for them. */
const [MAX_REQUESTS, MAX_LIFE_MS] = [5, 20_000];
/** Answers before the first kill. They show how long an answer takes on this machine. */
const WARM_UP = 8;
/** How often a buyer asks again for what it may have paid for, before it leaves that for later. */
const MAX_TRIES = 6;
const PATHS = [EXCLUSIVE, EXCLUSIVE, '/api/deals', `/api/deals/${uuid(1)}/report`, '/api/leads'] as const;

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`on ${kind}, after ${KILLS} kills, the ledger equals the chain and buyers have their answers`, async (t) => {
    let state = seedFrom(7);
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const world = await openSales(kind, { properties: PROPERTIES, buyers: BUYERS });
    t.after(() => world.close());
    const servers: (ServerProcess | undefined)[] = [];
    const endAll = async (): Promise<void> => {
      for (const server of servers.splice(0)) await server?.end('SIGKILL');
    };
    t.after(endAll);
    const start = (): Promise<ServerProcess> => serverProcess(world.env);
    servers.push(...(await Promise.all(Array.from({ length: SERVERS }, start))));

    const attempts: Attempt[] = [];
    const answered = (): number => attempts.filter((a) => a.answers.length > 0).length;
    const pace = { sent: 0, handlerMs: 200, killed: 0 };
    const selling = new AbortController();
    const anyUrl = (): string => pick(servers)?.url ?? '';
    const ask = async (attempt: Attempt): Promise<void> => {
      pace.sent += 1;
      const sentMs = performance.now();
      // Its server may have died: that is what this is about.
      const reply = await present(anyUrl(), attempt).catch(() => null);
      if (reply?.status === 200) pace.handlerMs = 0.8 * pace.handlerMs + 0.2 * (performance.now() - sentMs);
    };
    const buy = async (buyer: Buyer): Promise<void> => {
      while (!selling.signal.aborted) {
        const attempt = await sign(buyer, anyUrl(), pick(PATHS) ?? EXCLUSIVE).catch(() => null);
        if (!attempt) {
          await sleep(50);
          continue;
        }
        attempts.push(attempt);
        for (let tries = 0; tries < MAX_TRIES && attempt.answers.length === 0; tries += 1) {
          const copies = random() < 0.2 ? [attempt, attempt] : [attempt];
          await Promise.all(copies.map(ask));
          await sleep(attempt.answers.length > 0 ? 0 : 30 + random() * 100);
        }
      }
    };
    const kill = async (slot: number): Promise<void> => {
      while (pace.killed < KILLS) {
        // Somewhere within the time that a paid request takes, from its being sent to its being answered.
        const [enough, latestMs] = [pace.sent + 1 + Math.floor(random() * MAX_REQUESTS), Date.now() + MAX_LIFE_MS];
        while (pace.sent < enough && Date.now() < latestMs) await sleep(2);
        await sleep(random() * pace.handlerMs);
        if (pace.killed >= KILLS) return;
        pace.killed += 1;
        const victim = servers[slot];
        servers[slot] = undefined;
        await victim?.end('SIGKILL');
        servers[slot] = await start();
      }
    };
    /** PostgreSQL loses its power, or another process keeps the file locked. */
    const trouble = async (): Promise<void> => {
      while (pace.killed < Math.min(KILLS / 2, 20)) await sleep(50);
      if (world.postgres) {
        await world.postgres.stop('immediate');
        await sleep(300);
        await world.postgres.start();
        return;
      }
      const release = lockFile(world.place);
      await sleep(2000);
      release();
    };
    const sales = Promise.all(world.buyers.map(buy));
    while (answered() < WARM_UP) await sleep(20);
    await Promise.all([trouble(), ...servers.map((_, slot) => kill(slot))]);
    selling.abort();
    await sales;
    await endAll();

    // The chain's time passes every validBefore, so that open payments can no longer settle. Then a new server starts.
    await passOnChain(world.chain, 3600);
    const last = await start();
    servers.push(last);
    const { sold, broken } = await drawnUp(world, attempts, last.url, 20);
    assert.deepEqual(broken, []);
    assert.ok(sold > 5 && answered() > 5, `sales were made: ${sold}`);
  });
}

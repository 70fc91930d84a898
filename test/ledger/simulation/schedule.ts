/** One schedule: a world from one seed, run until everybody is done, then held against what was promised. */
import type { sqlLedger } from '../../../ledger/sql/sql_ledger.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openSqliteStore } from '../../../ledger/sqlite/store.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { all } from '../purchases.ts';
import { Chain, PRICE } from './chain.ts';
import { Moments } from './moments.ts';
import { realParts, type Parts } from './parts.ts';
import { buyer, HABITS, restartNonces, spend, stranger, walletOf, type Scene } from './people.ts';
import { heldAtEnd, type Found } from './promises.ts';
import { counted } from './seen.ts';
import { Server, type Limits } from './server.ts';
import { World, type Process } from './world.ts';

const [PROCESSES, LEADS, MOST_STEPS, CALM_STEPS] = [2, 3, 700, 20_000];
const STEPS_OF_TIME_MS = [5, 50, 500, 500, 2000, 2000, 2000, 8000, 8000, 20_000, 100_000];
const DAY_MS = 86_400_000;
/** Time after which no payment can be settled any more, and no lease stands; blocks after which it is final. */
const [LONG_MS, LAST_BLOCKS] = [1_000_000, 8];
/** Passes of the audit at the end: the first ones may find the lease taken. */
const LAST_PASSES = 2;

export interface Schedule {
  /** What was promised and not kept; empty where all was. */
  readonly broken: readonly string[];
  readonly steps: number;
  readonly sold: number;
  readonly released: number;
  readonly kills: number;
  /** Purchases whose outcome was not known at some time. */
  readonly unknown: number;
  /** Blocks that were undone, and sold purchases that lost their payment by it. */
  readonly undoneBlocks: number;
  readonly undone: number;
  readonly madeGood: number;
  readonly owed: number;
  /** Refusals by the limits of payers and leads. */
  readonly capped: number;
  readonly refused: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly parts?: Parts;
  readonly tracing?: boolean;
}

/** Seed of the n-th schedule of a run. */
export const seedOf = (seed: number, n: number): number =>
  (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(n + 1, 0x85eb_ca6b)) >>> 0;

const TABLES = [
  'transfers',
  'audits',
  'claims',
  'deliveries',
  'used_tokens',
  'gas_days',
  'purchases',
  'answer_chunks',
  'answers',
];
let store: Promise<Store> | undefined;

/** An empty ledger in memory. Making its tables takes longer than most schedules: they are made once, and emptied. */
async function emptyLedger(open: typeof sqlLedger): Promise<{ readonly ledger: Ledger; readonly ids: () => number }> {
  store ??= openSqliteStore(':memory:');
  const opened = await store;
  await opened.write(async (query) => {
    for (const table of TABLES) await query(`DELETE FROM ${table}`);
    await query('DELETE FROM sqlite_sequence');
  });
  let ids = 0;
  return {
    ledger: open(opened, () => `00000000-0000-4000-8000-${(ids += 1).toString(16).padStart(12, '0')}`),
    ids: () => ids,
  };
}

function limitsOf(world: World): Limits {
  const perPayer = 1 + world.below(2);
  return {
    leads: { perPayer, byNewPayers: perPayer + world.below(2) },
    mostOpen: 1 + world.below(3),
    mostOpenOfContract: 1 + world.below(2),
    mostUnpaid: 1 + world.below(2),
    collectMs: world.random() < 0.1 ? 100_000 : 30 * DAY_MS,
  };
}

/** What happens in a world besides what its people do. */
class Happenings {
  steps = 0;
  kills = 0;
  readonly #scene: Scene;
  readonly #ledger: Ledger;
  readonly #broken: string[];

  constructor(scene: Scene, ledger: Ledger, broken: string[]) {
    this.#scene = scene;
    this.#ledger = ledger;
    this.#broken = broken;
  }

  watch(process: Process, everything: boolean): void {
    this.#scene.server.watch(process, everything).catch((error: unknown) => {
      this.#broken.push(`the watch met an error: ${String(error)}`);
    });
  }

  audit(process: Process): void {
    this.#scene.server.audit(process).catch((error: unknown) => {
      this.#broken.push(`the audit met an error: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  start(process: Process): void {
    Object.assign(process, { alive: true, starts: process.starts + 1, isAuditing: false });
    this.#scene.world.say(process.name, 'starts');
    this.watch(process, true);
    this.audit(process);
  }

  /** A payer spends a payment by other means: one that is open, released, or was never bought with. */
  async #meddle(): Promise<void> {
    const { world, requests } = this.#scene;
    const purchases = await all(this.#ledger.purchases());
    const unused = purchases.filter((p) => p.why === 'not_sent' && this.#scene.chain.canSettle(p.payment));
    if (unused.length > 0) {
      spend(this.#scene, world.pick(unused).payment, world.random() < 0.7);
      return;
    }
    const state = world.pick(['settling', 'released', 'never bought']);
    const known = state === 'never bought' ? requests : purchases.filter((p) => p.state === state);
    if (known.length > 0) {
      spend(this.#scene, world.pick<{ readonly payment: (typeof requests)[number]['payment'] }>(known).payment);
    }
  }

  /** Let one thing happen. */
  async one(): Promise<void> {
    const { world, chain, processes } = this.#scene;
    const process = world.pick(processes);
    this.steps += 1;
    const dice = world.random();
    if (dice < 0.77) await world.step();
    else if (dice < 0.83) world.nowMs += world.pick(STEPS_OF_TIME_MS);
    else if (dice < 0.91) chain.mine(chain.waiting().filter(() => world.random() < 0.7));
    else if (dice < 0.925) chain.reorganize();
    else if (dice < 0.932) {
      const waiting = chain.waiting();
      if (waiting.length > 0) world.pick(waiting).state = 'dropped';
    } else if (dice < 0.94) {
      if (!process.alive) return;
      world.kill(process);
      this.kills += 1;
    } else if (dice < 0.972) {
      if (!process.alive) this.start(process);
      else if (dice < 0.955) this.watch(process, false);
    } else if (dice < 0.984) {
      if (process.alive) this.audit(process);
    } else if (dice < 0.988) {
      process.skewMs += world.pick([-1, 1]) * world.pick([1000, 60_000, 3_600_000, DAY_MS]);
      world.say(process.name, `its clock jumps to ${process.skewMs / 1000} s off`);
    } else await this.#meddle();
  }

  /** Let everything happen that waits. */
  async untilStill(): Promise<void> {
    const { world } = this.#scene;
    await world.settled();
    for (let i = 0; i < CALM_STEPS && (await world.step()); i += 1) this.steps += 1;
    if (world.gates.length > 0) this.#broken.push('it never comes to rest');
  }

  /** From here on all goes well: what is still open must find its end by itself. */
  async calm(): Promise<void> {
    const { world, chain, processes } = this.#scene;
    world.calm = true;
    world.say('world', 'CALM');
    for (const process of processes) {
      process.skewMs = 0;
      if (!process.alive) this.start(process);
    }
    await this.untilStill();
    chain.mine(chain.waiting().filter(() => world.random() < 0.5));
    for (const transaction of chain.waiting()) transaction.state = 'dropped';
    world.nowMs += LONG_MS;
    for (let block = 0; block < LAST_BLOCKS; block += 1) chain.mine([]);
    for (const process of processes) {
      this.watch(process, true);
      await this.untilStill();
    }
    for (let pass = 0; pass < LAST_PASSES; pass += 1) {
      for (const process of processes) {
        this.audit(process);
        await this.untilStill();
      }
    }
  }
}

export async function runSchedule({ seed, parts = realParts, tracing = false }: ScheduleOptions): Promise<Schedule> {
  const world = new World(seed, tracing);
  const chain = new Chain(world);
  const { ledger: bare, ids } = await emptyLedger(parts.sqlLedger);
  const ledger = counted(world, bare);
  const moments = new Moments(ledger, chain);
  const limits = limitsOf(world);
  const leads = Array.from({ length: LEADS }, (_, i) => `lead-${i + 1}`);
  const server = new Server({ world, chain, ledger, moments, parts, leads, limits });
  const processes: Process[] = Array.from({ length: PROCESSES }, (_, i) => ({
    name: `process ${i + 1}`,
    starts: 0,
    isAuditing: false,
    alive: false,
    skewMs: 0,
    connections: new Set(),
  }));
  const scene: Scene = { world, chain, server, processes, requests: [] };
  restartNonces();
  const { broken } = moments;
  const happenings = new Happenings(scene, ledger, broken);
  const busy = new Set<Promise<void>>();
  const begin = (work: Promise<void>): void => {
    const done = work
      .catch((error: unknown) => {
        broken.push(
          `somebody met an error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      })
      .finally(() => {
        busy.delete(done);
      });
    busy.add(done);
  };
  for (const process of processes) happenings.start(process);
  for (let n = 1, buyers = 2 + world.below(3); n <= buyers; n += 1) {
    const habit = world.pick(HABITS);
    chain.balances.set(walletOf(`buyer ${n}`), PRICE * BigInt(habit === 'poor' ? 1 : 1 + world.below(4)));
    begin(buyer(scene, `buyer ${n}`, habit));
  }
  begin(stranger(scene, 5));
  await world.settled();
  while (busy.size > 0 && happenings.steps < MOST_STEPS) await happenings.one();
  await happenings.calm();
  const found: Found = await heldAtEnd({ scene, ledger, limits, untilStill: () => happenings.untilStill() });
  const sold = new Set(server.sent.map((s) => s.purchase.id)).size;
  const { undone, madeGood, owed } = found;
  return {
    broken: [...broken, ...found.broken],
    steps: happenings.steps,
    kills: happenings.kills,
    unknown: server.unknown.size,
    sold,
    released: ids() - sold,
    undoneBlocks: chain.undone,
    undone,
    madeGood,
    owed,
    capped: [...moments.refused.values()].reduce((sum, n) => sum + n, 0),
    refused: moments.refused,
    trace: world.trace ?? [],
  };
}

/** One schedule: a world from one seed, run until every client is done, then checked against the invariants. */
import { auditLedger } from '../../../ledger/audit.ts';
import type { Ledger, OfferedLead } from '../../../ledger/ledger.ts';
import type { Store } from '../../../ledger/sql/store.ts';
import { openSqliteStore } from '../../../ledger/sqlite/store.ts';
import { USDC } from '../../../lib/network.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import { all, leadOf, SALES_TABLES } from '../purchases.ts';
import { CallChecks } from './call_checks.ts';
import { Chain, PRICE } from './chain.ts';
import { buyer, HABITS, spend, stranger, walletOf, type Scene } from './clients.ts';
import { checkEnd } from './invariants.ts';
import { awaitedLedger } from './ledger_view.ts';
import { realParts, type Parts } from './planted.ts';
import { loseReservations, restorable, type Lost, type RestorableStore } from './restore.ts';
import { Server, type Limits } from './server.ts';
import { World, type Process } from './world.ts';

/** When a backup is made, and when it is restored. */
const [BACKUP_STEP, RESTORE_STEP] = [40, 130];
const [PROCESSES, MAX_STEPS, MAX_CALM_STEPS] = [2, 700, 20_000];
/** Four leads of three properties: the first two are a debt and a sale at one address. */
const LEADS: readonly OfferedLead[] = [
  leadOf('lead-1', 'address-1', 'parcel-1'),
  leadOf('lead-2', 'address-1', 'case-1'),
  leadOf('lead-3', 'parcel-2'),
  leadOf('lead-4', 'parcel-3'),
];
const STEPS_OF_TIME_MS = [5, 50, 500, 500, 2000, 2000, 2000, 8000, 8000, 20_000, 100_000];
/** Time after which every payment and reservation has expired, and number of blocks after which a block is final. */
const [LONG_MS, LAST_BLOCKS] = [1_000_000, 8];
/** Passes of the audit at the end. In the first one the other process may still have the lease. */
const LAST_PASSES = 2;

export interface Schedule {
  /** Violated invariants. */
  readonly violations: readonly string[];
  readonly steps: number;
  readonly sold: number;
  readonly released: number;
  readonly kills: number;
  /** Purchases whose outcome was unknown at some time. */
  readonly unknown: number;
  /** Blocks removed by reorganizations, and sold purchases that lost their payment by one. */
  readonly undoneBlocks: number;
  readonly undone: number;
  readonly soldLate: number;
  /** Purchases that a restore lost, or whose answers it lost. */
  readonly lost: number;
  readonly owed: number;
  /** Refusals by the limits of payers and leads. */
  readonly capped: number;
  readonly trace: readonly string[];
}

interface ScheduleOptions {
  readonly seed: number;
  readonly parts?: Parts;
  readonly tracing?: boolean;
  /** How many facilitators the server has. */
  readonly facilitators?: number;
  /** Whether a backup is restored, with the file of the journal or without. */
  readonly restore?: 'with file' | 'without file' | undefined;
}

/** Seed of the n-th schedule in a run. */
export const seedOf = (seed: number, n: number): number =>
  (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(n + 1, 0x85eb_ca6b)) >>> 0;

/** What differs between the schedules of a run: a second facilitator, and a restore. */
export const variantOf = (n: number): Pick<ScheduleOptions, 'facilitators' | 'restore'> => ({
  facilitators: 1 + (n % 2),
  restore: ([undefined, undefined, undefined, 'with file', 'without file'] as const)[n % 5],
});

let shared: Promise<Store> | undefined;

/** An empty store in memory. All schedules share its tables, which take longer to create than a schedule to run. */
async function emptyStore(): Promise<Store> {
  const store = await (shared ??= openSqliteStore(':memory:'));
  await store.write(async (query) => {
    for (const table of SALES_TABLES) await query(`DELETE FROM ${table}`);
    const unmarked = 'restored_at_ms = NULL, restored_after = NULL, restored_through = NULL';
    await query(`UPDATE ledger_identity SET changes = 0, ${unmarked}`);
  });
  return store;
}

function limitsOf(world: World): Limits {
  const perPayer = 1 + world.below(2);
  return {
    leads: { perPayer, byNewPayers: perPayer + world.below(2) },
    maxOpen: 1 + world.below(3),
    mostOpenOfContract: 1 + world.below(2),
    collectMs: world.random() < 0.1 ? 100_000 : 30 * DAY_MS,
  };
}

/** Clients, and the events in a world besides their actions. */
class Events {
  steps = 0;
  kills = 0;
  /** Clients that are not done. */
  busy = 0;
  readonly #scene: Scene;
  readonly #ledger: Ledger;
  readonly #store: Store;
  readonly #checks: CallChecks;

  constructor(scene: Scene, ledger: Ledger, store: Store, checks: CallChecks) {
    this.#scene = scene;
    this.#ledger = ledger;
    this.#store = store;
    this.#checks = checks;
  }

  async #noted(who: string, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : String(error);
      this.#checks.violations.push(`${who} failed: ${stack}`);
    });
  }

  async client(work: Promise<void>): Promise<void> {
    this.busy += 1;
    await this.#noted('a client', work);
    this.busy -= 1;
  }

  watch(process: Process, everything: boolean): void {
    void this.#noted('the settlement watcher', this.#scene.server.watch(process, everything));
  }

  audit(process: Process): void {
    void this.#noted('the audit', this.#scene.server.audit(process));
  }

  start(process: Process): void {
    Object.assign(process, { alive: true, starts: process.starts + 1, isAuditing: false });
    this.#scene.world.log(process.name, 'starts');
    this.watch(process, true);
    this.audit(process);
  }

  /** A payer spends a signed payment without the server: one that is settling, released or was never used. */
  async #spendWithoutServer(): Promise<void> {
    const { world, chain, requests } = this.#scene;
    const purchases = await all(this.#ledger.purchases());
    const unsent = purchases.filter((p) => p.why === 'not_sent' && chain.canSettle(p.payment));
    if (unsent.length > 0) {
      spend(this.#scene, world.pick(unsent).payment, world.random() < 0.7);
      return;
    }
    const state = world.pick(['settling', 'released', 'never used']);
    const known = state === 'never used' ? requests : purchases.filter((p) => p.state === state);
    if (known.length > 0) spend(this.#scene, world.pick<Pick<(typeof requests)[number], 'payment'>>(known).payment);
  }

  /** Run one random event. */
  async next(): Promise<void> {
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
      process.skewMs += world.pick([-1, 1]) * world.pick([1000, 60_000, HOUR_MS, DAY_MS]);
      world.log(process.name, `its clock is now ${process.skewMs / 1000} s wrong`);
    } else if (dice < 0.992) {
      world.log('database', `crashes, and ${await loseReservations(this.#store)} reservations are gone`);
    } else await this.#spendWithoutServer();
  }

  /** Run until all work is finished. */
  async finishAll(): Promise<void> {
    const { world } = this.#scene;
    await world.settled();
    for (let i = 0; i < MAX_CALM_STEPS && (await world.step()); i += 1) this.steps += 1;
    this.#checks.must(world.gates.length === 0, `work is unfinished after ${MAX_CALM_STEPS} steps`);
  }

  async restore(copies: RestorableStore, hasFile: boolean): Promise<Lost> {
    const { world, chain, processes } = this.#scene;
    for (const process of processes) if (process.alive) world.kill(process);
    await world.settled();
    world.log('operator', `restores a backup with${hasFile ? '' : 'out'} file`);
    const lost = await copies.restore(world.nowMs, hasFile);
    await this.#checks.forget(chain.account);
    return lost;
  }

  /** Finish the schedule without further failures: every open purchase must end without intervention. */
  async calm(): Promise<void> {
    const { world, chain, processes } = this.#scene;
    world.calm = true;
    world.log('world', 'NO MORE FAILURES');
    for (const process of processes) {
      process.skewMs = 0;
      if (!process.alive) this.start(process);
    }
    await this.finishAll();
    chain.mine(chain.waiting().filter(() => world.random() < 0.5));
    for (const transaction of chain.waiting()) transaction.state = 'dropped';
    world.nowMs += LONG_MS;
    for (let block = 0; block < LAST_BLOCKS; block += 1) chain.mine([]);
    for (const process of processes) {
      this.watch(process, true);
      await this.finishAll();
    }
    for (let pass = 0; pass < LAST_PASSES; pass += 1)
      for (const process of processes) {
        this.audit(process);
        await this.finishAll();
      }
  }
}

/** What the audit finds that needs no chain, except what is owed. */
async function auditViolations(opened: Store, nowMs: number, { collectMs }: Limits): Promise<readonly string[]> {
  const found: string[] = [];
  const options = { file: '/no copy', asset: USDC.toLowerCase(), collectDays: collectMs / DAY_MS, nowMs };
  // A database in memory has one connection, and nothing else runs now.
  const atRest: Store = { ...opened, readSnapshot: (work) => work(opened.read) };
  await auditLedger(atRest, options, (difference) => found.push(difference));
  return found.filter((difference) => !difference.includes(' is owed: '));
}

export async function runSchedule({
  seed,
  parts = realParts,
  tracing = false,
  facilitators = 1,
  restore,
}: ScheduleOptions): Promise<Schedule> {
  const world = new World(seed, tracing);
  const chain = new Chain(world);
  const store = await emptyStore();
  const mayPause = restore !== undefined;
  const copies = mayPause ? await restorable(store) : null;
  let ids = 0;
  const newId = (): string => `00000000-0000-4000-8000-${(ids += 1).toString(16).padStart(12, '0')}`;
  const ledger = awaitedLedger(world, parts.sqlLedger(copies?.store ?? store, newId));
  const checks = new CallChecks(ledger, chain);
  const limits = limitsOf(world);
  const server = new Server({ world, chain, ledger, checks, parts, leads: LEADS, limits, facilitators, mayPause });
  const processes: Process[] = Array.from({ length: PROCESSES }, (_, i) => ({
    name: `process ${i + 1}`,
    starts: 0,
    isAuditing: false,
    alive: false,
    skewMs: 0,
    connections: new Set(),
  }));
  const scene: Scene = { world, chain, server, processes, requests: [] };
  const events = new Events(scene, ledger, store, checks);
  for (const process of processes) events.start(process);
  for (let n = 1, buyers = 2 + world.below(3); n <= buyers; n += 1) {
    const habit = world.pick(HABITS);
    chain.balances.set(walletOf(`buyer ${n}`), PRICE * BigInt(habit === 'poor' ? 1 : 1 + world.below(4)));
    void events.client(buyer(scene, `buyer ${n}`, habit));
  }
  void events.client(stranger(scene, 5));
  await world.settled();
  let lost: Lost = { purchases: new Set(), answers: new Set() };
  while (events.busy > 0 && events.steps < MAX_STEPS) {
    await events.next();
    if (copies && events.steps === BACKUP_STEP) await copies.backUp();
    if (copies && events.steps === RESTORE_STEP) lost = await events.restore(copies, restore === 'with file');
  }
  await events.calm();
  const { undone, owed } = await checkEnd({
    scene,
    ledger,
    leads: LEADS,
    limits,
    soldLate: checks.soldLate,
    lost,
    finishAll: () => events.finishAll(),
    must: (holds, violation) => checks.must(holds, violation),
  });
  const sold = new Set(server.sent.map((s) => s.purchase.id)).size;
  return {
    violations: [...checks.violations, ...(await auditViolations(store, world.nowMs, limits))],
    steps: events.steps,
    kills: events.kills,
    unknown: server.unknown.size,
    sold,
    released: ids - sold,
    lost: lost.purchases.size + lost.answers.size,
    undoneBlocks: chain.undone,
    undone,
    soldLate: checks.soldLate.size,
    owed,
    capped: checks.refusals,
    trace: world.trace ?? [],
  };
}

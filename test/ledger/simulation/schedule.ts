/** One schedule: a world from one seed, run until everybody is done, then held against what was promised. */
import type { Purchase } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite.ts';
import { all, bodyOf } from '../purchases.ts';
import { Chain, PAY_TO, PRICE } from './chain.ts';
import { buyer, restartNonces, stranger, STRANGER, walletOf, type Scene } from './people.ts';
import { realParts, Server, type Parts } from './server.ts';
import { settled, World, type Process } from './world.ts';

const [PROCESSES, LEADS, MOST_STEPS, CALM_STEPS] = [2, 2, 900, 20_000];
const STEPS_OF_TIME_MS = [5, 50, 500, 5000, 20_000, 100_000];
/** Share of paid purchases that are collected by their wallet at the end, beside reading what is kept. */
const WALLETS_ASKED = 0.1;
const DAY_MS = 86_400_000;

export interface Schedule {
  /** What was promised and not kept; empty where all was. */
  readonly broken: readonly string[];
  readonly steps: number;
  readonly sold: number;
  readonly released: number;
  readonly kills: number;
  /** Purchases whose outcome was not known at some time. */
  readonly unknown: number;
  readonly trace: readonly string[];
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly parts?: Parts;
  readonly tracing?: boolean;
}

/** Seed of the n-th schedule of a run. */
export const seedOf = (seed: number, n: number): number => (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(n + 1, 0x85eb_ca6b)) >>> 0;

export async function runSchedule({ seed, parts = realParts, tracing = false }: ScheduleOptions): Promise<Schedule> {
  const world = new World(seed, tracing);
  const chain = new Chain(world);
  let ids = 0;
  const ledger = await openSqliteLedger(':memory:', { newId: () => `00000000-0000-4000-8000-${(ids += 1).toString(16).padStart(12, '0')}` });
  const leads = Array.from({ length: LEADS }, (_, i) => `lead-${i + 1}`);
  const server = new Server({ world, chain, ledger, parts, leads });
  const processes: Process[] = Array.from({ length: PROCESSES }, (_, i) => ({ name: `process ${i + 1}`, alive: true, skewMs: 0, connections: new Set() }));
  const scene: Scene = { world, chain, server, processes, requests: [] };
  restartNonces();
  const names = Array.from({ length: 2 + world.below(3) }, (_, i) => `buyer ${i + 1}`);
  for (const name of names) chain.balances.set(walletOf(name), PRICE * BigInt(1 + world.below(4)));

  let [steps, kills] = [0, 0];
  const busy = new Set<Promise<void>>();
  const broken: string[] = [];
  const begin = (work: Promise<void>): void => {
    const done = work.catch((error: unknown) => { broken.push(`somebody met an error: ${error instanceof Error ? error.stack ?? error.message : String(error)}`); }).finally(() => { busy.delete(done); });
    busy.add(done);
  };
  const watching = (process: Process, everything: boolean): void => {
    server.watch(process, everything).catch((error: unknown) => { broken.push(`the watch met an error: ${String(error)}`); });
  };

  /**
   * A payer of a payment that is being settled spends it by other means: on us, on somebody else. At once in a block:
   * a payment that its payer made known while it could still be used would be anybody's who presents it.
   */
  const meddle = async (): Promise<void> => {
    const open = await ledger.unresolved(Number.MAX_SAFE_INTEGER);
    if (open.length === 0) return;
    const { payment } = world.pick(open);
    chain.mine(chain.send(world.random() < 0.5 ? payment : { ...payment, payTo: STRANGER }, 'payer'));
  };
  const happen = async (): Promise<void> => {
    const dice = world.random();
    const process = world.pick(processes);
    if (dice < 0.78) await world.step();
    else if (dice < 0.87) world.nowMs += world.pick(STEPS_OF_TIME_MS);
    else if (dice < 0.93) {
      const waiting = chain.waiting();
      if (waiting.length > 0) chain.mine(world.pick(waiting));
    } else if (dice < 0.94) {
      const waiting = chain.waiting();
      if (waiting.length > 0) world.pick(waiting).state = 'dropped';
    } else if (dice < 0.955) {
      if (!process.alive) return;
      world.kill(process);
      kills += 1;
    } else if (dice < 0.98) {
      if (process.alive) {
        watching(process, false);
      } else {
        process.alive = true;
        world.say(process.name, 'starts again');
        watching(process, true);
      }
    } else if (dice < 0.985) {
      process.skewMs += world.pick([-1, 1]) * world.pick([1000, 60_000, 3_600_000, DAY_MS]);
      world.say(process.name, `its clock jumps to ${process.skewMs / 1000} s off`);
    } else if (dice < 0.99) await meddle();
  };

  for (const name of names) begin(buyer(scene, name));
  begin(stranger(scene, 6));
  await settled();
  while (busy.size > 0 && steps < MOST_STEPS) {
    await happen();
    steps += 1;
  }

  // From here on all goes well: what is still open must find its end by itself.
  world.calm = true;
  world.say('world', 'CALM');
  const untilStill = async (): Promise<void> => {
    for (let i = 0; i < CALM_STEPS && (await world.step()); i += 1) steps += 1;
    if (world.gates.length > 0) broken.push('it never comes to rest');
  };
  for (const process of processes) Object.assign(process, { alive: true, skewMs: 0 });
  await untilStill();
  for (const transaction of chain.waiting()) {
    if (world.random() < 0.5) chain.mine(transaction);
    else transaction.state = 'dropped';
  }
  world.nowMs += 1_000_000;
  for (const process of processes) {
    watching(process, true);
    await untilStill();
  }
  broken.push(...await violations(scene, await all(ledger.purchases()), ledger, untilStill));
  await ledger.close();
  const purchases = server.sent.map((s) => s.purchase.id);
  return { broken, steps, kills, unknown: server.unknown.size, sold: new Set(purchases).size, released: ids - new Set(purchases).size, trace: world.trace ?? [] };
}

/** The promises, each as a sentence where it was broken. */
async function violations({ chain, server, processes: [process], world }: Scene, purchases: readonly Purchase[], ledger: Awaited<ReturnType<typeof openSqliteLedger>>, untilStill: () => Promise<void>): Promise<string[]> {
  const broken: string[] = [];
  const sold = purchases.filter((p) => p.state === 'sold');
  const paid = [...chain.used.values()].filter(({ authorization: a }) => a.payTo === PAY_TO);

  /** The payer sent it to the chain alone, and what the facilitator was asked to settle it refused: the server had no part in it. */
  const isGift = (nonce: string): boolean => purchases.some((p) => p.payment.nonce === nonce && p.why === 'refused')
    && chain.transactions.every((t) => t.authorization.nonce !== nonce || t.sender !== 'facilitator');

  // A lead is sold at most once, and known to one wallet at most.
  const knownTo = new Map<string, Set<string>>();
  for (const { to, body } of server.sent) {
    const lead = /^lead (\S+)/.exec(body)?.[1];
    if (lead !== undefined) knownTo.set(lead, (knownTo.get(lead) ?? new Set()).add(to));
  }
  for (const [lead, people] of knownTo) {
    if (people.size > 1) broken.push(`${lead} was given to ${[...people].join(' and ')}`);
    if (sold.filter((p) => p.leadId === lead).length !== 1) broken.push(`${lead} was given out and has ${sold.filter((p) => p.leadId === lead).length} purchases`);
  }
  const soldLeads = await ledger.soldLeads();
  for (const p of sold) if (p.leadId !== null && !soldLeads.includes(p.leadId)) broken.push(`${p.leadId} is sold and may be offered again`);

  // No answer without settlement; a stranger gets nothing; one payment, one answer.
  const bodies = new Map<string, string>();
  for (const { to, purchase, body, wasPaid, wasWritten } of server.sent) {
    if (!wasPaid) broken.push(`${purchase.id} was answered before it was paid`);
    if (!wasWritten) broken.push(`${purchase.id} was answered before it was written down as sold`);
    if (to === STRANGER) broken.push(`the stranger was given what ${purchase.id} bought`);
    else if (walletOf(to) !== purchase.payment.payer) broken.push(`${to} was given what another bought with ${purchase.id}`);
    for (const key of [purchase.id, purchase.payment.nonce]) {
      if ((bodies.get(key) ?? body) !== body) broken.push(`${key} was answered twice, differently`);
      bodies.set(key, body);
    }
  }

  // No settlement without an answer that its buyer can collect, the same as any that was sent before.
  let gifts = 0n;
  for (const { authorization } of paid) {
    const own = sold.filter((p) => p.payment.nonce === authorization.nonce);
    const [purchase] = own;
    if (own.length === 0 && isGift(authorization.nonce)) {
      gifts += authorization.amount;
      continue;
    }
    if (own.length !== 1 || !purchase || !process) {
      broken.push(`payment ${authorization.nonce.slice(-2)} of ${authorization.payer.slice(0, 6)} was taken, and ${own.length} purchases were sold for it`);
      continue;
    }
    const kept = String(await bodyOf(await ledger.answerOf(purchase.id)));
    if ((bodies.get(purchase.id) ?? kept) !== kept) broken.push(`${purchase.id} was answered with something else than is kept`);
    // The proof of the wallet is slow, and proved by every buyer who collects: here by one in so many.
    const asked = world.random() < WALLETS_ASKED;
    if (!asked && kept !== 'null') continue;
    const before = server.sent.length;
    const collected = server.collect(process, 'collector', purchase.id, purchase.payment.payer);
    await untilStill();
    const reply = await collected;
    server.sent.length = before;
    if (reply.kind !== 'answer' || reply.body !== kept) broken.push(`${purchase.id} was paid and its buyer collects ${reply.kind === 'refused' ? reply.why : reply.kind}`);
  }

  // Money on the chain is what the ledger says, and nothing stays open.
  const revenue = chain.balances.get(PAY_TO) ?? 0n;
  const written = sold.reduce((sum, p) => sum + p.payment.amount, 0n);
  if (revenue - gifts !== written) broken.push(`the chain holds ${revenue}, ${gifts} of it unasked for, and the ledger ${written}`);
  for (const p of sold) if (!paid.some((t) => t.authorization.nonce === p.payment.nonce)) broken.push(`${p.id} is sold and was never paid`);
  for (const p of purchases) {
    if (p.state === 'settling') broken.push(`${p.id} is still settling`);
    if (p.state === 'reserved' && p.leaseUntilMs <= world.nowMs) broken.push(`${p.id} is still reserved`);
  }
  return broken;
}

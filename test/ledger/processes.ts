/** Several processes on one ledger, some of them killed: the same tests for every kind of ledger. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LedgerUnavailable, type Ledger } from '../../ledger/ledger.ts';
import { thorough } from '../thorough.ts';
import type { Place } from './conformance/place.ts';
import {
  all,
  answer,
  bodyOf,
  claim,
  LEASE_MS,
  paid,
  purchaseIn,
  purchaseOf,
  reserve,
  sha256,
  wanted,
} from './purchases.ts';

const PROGRAM = fileURLToPath(new URL('ledger_process.ts', import.meta.url));

/** One line that a process printed. */
interface Line {
  readonly n: number;
  readonly id: string;
  readonly lead?: string | null;
  readonly done?: 'reserved' | 'settling' | 'sold';
  /** Name and message of the error that ended it. */
  readonly error?: string;
  readonly message?: string;
}

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** The lines that it has printed. */
  readonly lines: Line[];
  /** Resolves with its first line, or its end. */
  readonly started: Promise<unknown>;
  readonly ended: Promise<unknown>;
  /** Resolves when it has printed this many lines, or has ended. */
  printed(lines: number): Promise<void>;
  errors(): string;
}

/** Start ledger_process.ts with these arguments. */
export function child(...args: readonly string[]): Child {
  const process_ = spawn(process.execPath, [PROGRAM, ...args]);
  const lines: Line[] = [];
  let errors = '';
  process_.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const output = createInterface(process_.stdout);
  const ended = once(output, 'close');
  output.on('line', (line) => lines.push(JSON.parse(line) as Line));
  return {
    process: process_,
    lines,
    ended,
    started: Promise.race([once(output, 'line'), ended]),
    errors: () => errors,
    async printed(count) {
      while (lines.length < count && process_.exitCode === null && process_.signalCode === null) await sleep(2);
    },
  };
}

/** Repetitions of a race between two connections. */
const ROUNDS = thorough(2, 4);

/** Pairs of actions that exclude each other, each on its own connection. */
async function raceOnce(one: Ledger, two: Ledger, round: number): Promise<void> {
  const n = round * 100;
  const onBoth = <T>(work: (ledger: Ledger, i: number) => Promise<T>): Promise<T[]> =>
    Promise.all([one, two, one, two].map(work));

  const identifierHash = sha256(`order-${round}`);
  const begun = await onBoth((ledger, i) => ledger.begin(wanted(n + i, { identifierHash })));
  assert.equal(begun.filter((b) => b.kind === 'reserved').length, 1, 'one identifier, one purchase');

  const rivals = await Promise.all([1, 2, 3, 4].map((i) => reserve(one, wanted(n + 10 + i))));
  const claims = await onBoth((ledger, i) => claim(ledger, rivals[i]?.id ?? '', [`lead-${round}`], 0));
  assert.equal(claims.filter((lead) => lead !== null).length, 1, 'one lead, one purchase');

  const slow = await purchaseIn(one, 'reserved', n + 20, { lead: `slow-${round}` });
  const next = await two.begin(wanted(n + 21, { nowMs: LEASE_MS }));
  assert.equal(next.kind, 'reserved');
  const [isSettling, takenLead] = await Promise.all([
    one.startSettling(slow.id, answer(`s${round}`), LEASE_MS),
    claim(one, purchaseOf(next).id, [`slow-${round}`], LEASE_MS),
  ]);
  assert.notEqual(isSettling, takenLead !== null, 'either the slow purchase may settle, or another one has its lead');

  const open = await purchaseIn(one, 'settling', n + 30);
  const [sold, isReleased] = await Promise.all([
    one.markSold(open.id, paid(1), 1),
    two.release(open.id, 'expired_unused', 1),
  ]);
  assert.notEqual(sold.state === 'sold', isReleased);
  assert.equal((await one.find({ id: open.id }))?.state, sold.state);

  const last = await reserve(one, wanted(n + 40));
  const settling = await onBoth((ledger) => ledger.startSettling(last.id, answer(`a${round}`.repeat(200_000)), 1));
  assert.equal(settling.filter(Boolean).length, 1, 'one call moves it to settling');
}

/** Compare what killed processes printed with what the ledger contains. */
async function checkPrinted(ledger: Ledger, printed: readonly Line[]): Promise<void> {
  const written = new Map((await all(ledger.purchases())).map((p) => [p.id, p]));
  for (const { id, done, n, lead } of printed) {
    if (done === 'reserved') continue;
    const purchase = written.get(id);
    const allowed = done === 'sold' ? ['sold'] : ['settling', 'sold'];
    assert.ok(purchase && allowed.includes(purchase.state), `payment ${n} was printed as ${done ?? ''}`);
    assert.equal(purchase.leadId, lead);
  }
  for (const purchase of written.values()) {
    if (purchase.state === 'reserved') continue;
    assert.equal(sha256((await bodyOf(await ledger.answerOf(purchase.id))) ?? ''), purchase.answerSha256);
  }
  const reserved = [...written.values()].filter((p) => p.state === 'reserved').length;
  assert.equal(await ledger.deleteExpiredReservations(Date.now() + 60_000), reserved);
}

export interface ProcessTestOptions {
  readonly kills: number;
  /** Open a ledger that is unavailable after a second or less. */
  openImpatient(ledger: string): Promise<Ledger>;
  /** Lock a ledger against writes. @returns what ends the lock */
  lock(ledger: string): Promise<() => Promise<unknown>>;
  /** Check the database itself. */
  readonly inspect?: (ledger: string) => void;
}

export function processTests(place: Place, { kills, openImpatient, lock, inspect }: ProcessTestOptions): void {
  test('connections that open a new ledger at once share it', async () => {
    const name = await place.fresh();
    const ledgers = await Promise.all(Array.from({ length: 12 }, () => place.open(name)));
    await Promise.all(ledgers.map((ledger, n) => ledger.begin(wanted(n))));
    for (const ledger of ledgers) assert.equal((await all(ledger.purchases())).length, 12);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  });

  test('a ledger that stays locked is unavailable, and nothing is written', async () => {
    const name = await place.fresh();
    const ledger = await openImpatient(name);
    const { id } = await reserve(ledger, wanted(1));
    const unlock = await lock(name);
    const writes = [ledger.begin(wanted(2)), ledger.startSettling(id, answer('x'), 1), ledger.ping()];
    await Promise.all(writes.map((write) => assert.rejects(write, LedgerUnavailable)));
    assert.equal((await ledger.find({ id }))?.state, 'reserved', 'reads still work');
    await unlock();
    await ledger.ping();
    assert.equal((await all(ledger.purchases())).length, 1);
    assert.equal(await ledger.startSettling(id, answer('x'), 1), true);
    await ledger.close();
  });

  test('of actions on two connections that exclude each other, exactly one succeeds', async () => {
    const name = await place.fresh();
    const [one, two] = [await place.open(name), await place.open(name)];
    for (let round = 0; round < ROUNDS; round += 1) await raceOnce(one, two, round);
    await Promise.all([one.close(), two.close()]);
  });

  test('the bytes of an answer are not deleted while a purchase is about to refer to them', async () => {
    const name = await place.fresh();
    const [one, two] = [await place.open(name), await place.open(name)];
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = `equal bytes ${round}`.repeat(round % 2 === 0 ? 1 : 100_000);
      await purchaseIn(one, 'sold', round * 2, { nowMs: 100, body });
      const second = await reserve(one, wanted(round * 2 + 1, { nowMs: 5000 }));
      const [isSettling] = await Promise.all([
        one.startSettling(second.id, answer(body), 5000),
        two.forgetAnswers(4000),
      ]);
      assert.equal(isSettling, true);
      assert.equal(sha256((await bodyOf(await one.answerOf(second.id))) ?? ''), sha256(body), `round ${round}`);
    }
    await Promise.all([one.close(), two.close()]);
  });

  test(`after ${kills} processes were killed during sales, the ledger has every sale that they printed`, async () => {
    const name = await place.fresh();
    const printed: Line[] = [];
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let kill = 0; kill < kills; kill += 2) {
      const pair = [kill, kill + 1].map((i) =>
        child('sell', name, String(i * 100_000), '100000', i % 2 === 0 ? '1' : '8'),
      );
      for (const c of pair) {
        await c.printed(5 + Math.floor(random() * 20));
        await sleep(random() * 20);
        c.process.kill('SIGKILL');
        await c.ended;
        assert.equal(c.errors(), '');
        printed.push(...c.lines);
      }
    }
    const ledger = await place.open(name);
    await checkPrinted(ledger, printed);
    const sold = printed.filter((line) => line.done === 'sold');
    assert.ok(sold.length >= kills, 'the processes sold something');
    assert.equal(new Set(sold.map(({ lead }) => lead)).size, sold.length, 'no lead was sold twice');
    await ledger.close();
    inspect?.(name);
  });
}

/** Several processes on one ledger, and processes that are killed: the same proof for every kind of ledger. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Place } from './conformance.ts';
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

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));

interface Told {
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
  /** Lines it has told so far. */
  readonly told: Told[];
  /** Resolves with its first line, or its end. */
  readonly started: Promise<unknown>;
  readonly ended: Promise<unknown>;
  /** Resolves when it has told so many lines, or is gone. */
  heard(lines: number): Promise<void>;
  errors(): string;
}

export function child(...args: readonly string[]): Child {
  const process_ = spawn(process.execPath, [CHILD, ...args]);
  const told: Told[] = [];
  let errors = '';
  process_.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const lines = createInterface(process_.stdout);
  const ended = once(lines, 'close');
  lines.on('line', (line) => told.push(JSON.parse(line) as Told));
  const heard = async (count: number): Promise<void> => {
    while (told.length < count && process_.exitCode === null && process_.signalCode === null) await sleep(2);
  };
  return {
    process: process_,
    told,
    heard,
    started: Promise.race([once(lines, 'line'), ended]),
    ended,
    errors: () => errors,
  };
}

export interface ProcessSizes {
  readonly kills: number;
  /** Look into the files themselves, where that can be done. */
  readonly inspect?: (ledger: string) => void;
}

export function processes(place: Place, { kills, inspect }: ProcessSizes): void {
  test('four processes race for 60 payments and 40 leads: each payment is begun once and each lead is sold once', async () => {
    const name = await place.fresh();
    const children = Array.from({ length: 4 }, () => child('race', name, '60', '40'));
    await Promise.all(children.map((c) => c.started));
    for (const c of children) c.process.stdin.write('go\n');
    await Promise.all(children.map((c) => c.ended));
    assert.deepEqual(
      children.map((c) => c.errors()),
      ['', '', '', ''],
    );
    const got = children.flatMap((c) => c.told.slice(1));
    assert.ok(children.filter((c) => c.told.length > 1).length >= 2, 'they were really at it together');
    const sold = got.filter((g) => g.lead !== null);
    assert.equal(sold.length, 40);
    assert.equal(new Set(sold.map((g) => g.n)).size, 40, 'no payment bought twice');
    assert.equal(new Set(sold.map((g) => g.lead)).size, 40, 'no lead went twice');
    const ledger = await place.open(name);
    const written = await all(ledger.purchases());
    assert.deepEqual(written.map((p) => [p.id, p.leadId]).sort(), sold.map((g) => [g.id, g.lead]).sort());
    assert.ok(written.every((p) => p.state === 'sold'));
    await ledger.close();
  });

  test('on two connections, of everything that excludes the other exactly one happens', async () => {
    const name = await place.fresh();
    const [one, two] = [await place.open(name), await place.open(name)];
    const both = <T>(work: (ledger: typeof one, i: number) => Promise<T>): Promise<T[]> =>
      Promise.all([one, two, one, two].map(work));
    for (let round = 0; round < 12; round += 1) {
      const n = round * 100;
      const identifierHash = sha256(`order-${round}`);
      const begun = await both((ledger, i) => ledger.begin(wanted(n + i, { identifierHash })));
      assert.equal(begun.filter((b) => b.kind === 'reserved').length, 1, 'one identifier, one purchase');
      const rivals = await Promise.all([1, 2, 3, 4].map((i) => reserve(one, wanted(n + 10 + i))));
      const claims = await both((ledger, i) => claim(ledger, rivals[i]?.id ?? '', [`lead-${round}`], 0));
      assert.equal(claims.filter((lead) => lead !== null).length, 1, 'one lead, one purchase');

      const slow = await purchaseIn(one, 'reserved', n + 20, { lead: `slow-${round}` });
      const [settling, next] = [await two.begin(wanted(n + 21, { nowMs: LEASE_MS })), one];
      assert.equal(settling.kind, 'reserved');
      const [kept, takenOver] = await Promise.all([
        one.settling(slow.id, answer(`s${round}`), LEASE_MS),
        claim(next, purchaseOf(settling).id, [`slow-${round}`], LEASE_MS),
      ]);
      assert.notEqual(kept, takenOver !== null, "either the slow one may settle, or its lead is another's");

      const open = await purchaseIn(one, 'settling', n + 30);
      const [sold, released] = await Promise.all([
        one.sold(open.id, paid(1), 1),
        two.release(open.id, 'expired_unused', 1),
      ]);
      assert.notEqual(sold.state === 'sold', released);
      assert.equal((await one.find({ id: open.id }))?.state, sold.state);

      const again = await reserve(one, wanted(n + 40));
      assert.deepEqual(
        (await both((ledger) => ledger.settling(again.id, answer(`a${round}`.repeat(200_000)), 1))).filter(Boolean)
          .length,
        1,
        'settling is said once',
      );
    }
    await Promise.all([one.close(), two.close()]);
  });

  test('bytes are not forgotten under the hands of a purchase that is about to refer to them', async () => {
    const name = await place.fresh();
    const [one, two] = [await place.open(name), await place.open(name)];
    for (let round = 0; round < 16; round += 1) {
      const body = `equal bytes ${round}`.repeat(round % 2 === 0 ? 1 : 100_000);
      await purchaseIn(one, 'sold', round * 2, { nowMs: 100, body });
      const second = await reserve(one, wanted(round * 2 + 1, { nowMs: 5000 }));
      const [kept] = await Promise.all([one.settling(second.id, answer(body), 5000), two.forgetAnswers(4000)]);
      assert.equal(kept, true);
      assert.equal(sha256((await bodyOf(await one.answerOf(second.id))) ?? ''), sha256(body), `round ${round}`);
    }
    await Promise.all([one.close(), two.close()]);
  });

  test(`${kills} processes killed while they sell, one thing or eight at a time: what they said was written is written, and nothing is half`, async () => {
    const name = await place.fresh();
    const told: Told[] = [];
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let kill = 0; kill < kills; kill += 2) {
      const pair = [kill, kill + 1].map((i) =>
        child('sell', name, String(i * 100_000), '100000', i % 2 === 0 ? '1' : '8'),
      );
      for (const c of pair) {
        const lines = Math.floor(random() * 25);
        await c.heard(lines);
        await sleep(random() * 20);
        c.process.kill('SIGKILL');
        await c.ended;
        assert.equal(c.errors(), '');
        told.push(...c.told);
      }
    }
    const ledger = await place.open(name);
    const written = new Map((await all(ledger.purchases())).map((p) => [p.id, p]));
    for (const { id, done, n, lead } of told) {
      const purchase = written.get(id);
      if (done === 'reserved') continue;
      assert.ok(
        purchase && (done === 'sold' ? ['sold'] : ['settling', 'sold']).includes(purchase.state),
        `payment ${n} was said to be ${done ?? ''}`,
      );
      assert.equal(purchase.leadId, lead);
    }
    for (const purchase of written.values()) {
      if (purchase.state === 'reserved') continue;
      assert.equal(sha256((await bodyOf(await ledger.answerOf(purchase.id))) ?? ''), purchase.answerSha256);
    }
    const reserved = [...written.values()].filter((p) => p.state === 'reserved').length;
    assert.equal(await ledger.deleteExpiredReservations(Date.now() + 60_000), reserved);
    assert.ok(told.filter((t) => t.done === 'sold').length >= kills, 'they were really selling');
    await ledger.close();
    inspect?.(name);
  });
}

/** A ledger whose writing is done by a thread of its own does what every ledger must do, and says what that one is told. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSqliteLedgerApart } from '../../ledger/apart.ts';
import { LedgerUnavailable } from '../../ledger/ledger.ts';
import { openLedgerApart } from '../../ledger/open.ts';
import { conformance } from './conformance.ts';
import { child } from './processes.ts';
import { answer, bodyOf, reserve, wanted } from './purchases.ts';

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-apart-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(folder, `${count += 1}.sqlite`);

conformance({ fresh: async () => fresh(), open: (name) => openLedgerApart({ DATA_DIR: folder, LEDGER: name }) });

test('an answer that lies in memory arrives whole, also where it is a part of a larger buffer', async () => {
  const ledger = await openSqliteLedgerApart(fresh());
  const larger = randomBytes(3_000_000);
  for (const [n, held] of [larger, larger.subarray(100, 200), larger.subarray(5, 2_500_000), Buffer.from('short'), Buffer.alloc(0)].entries()) {
    const { id } = await reserve(ledger, wanted(n));
    const sha256 = createHash('sha256').update(held).digest('hex');
    assert.equal(await ledger.settling(id, { headers: { 'Content-Type': 'text/csv' }, sha256, bytes: held.length, held, async* body() { yield held; } }, 1), true);
    const kept = await ledger.answerOf(id);
    assert.deepEqual([kept?.headers, kept?.sha256], [{ 'Content-Type': 'text/csv' }, sha256]);
    assert.ok((await bodyOf(kept))?.equals(held));
    assert.ok(held.length === 0 || held.buffer.byteLength > 0, 'and is still here to be sent');
  }
  const { id } = await reserve(ledger, wanted(10));
  await assert.rejects(ledger.settling(id, { ...answer('abc'), held: Buffer.from('ab') }, 1), TypeError);
  await ledger.close();
});

test('errors keep their kind: what is wrong with a call, and a ledger that is locked, which this thread does not wait for', async () => {
  const file = fresh();
  const ledger = await openSqliteLedgerApart(file);
  await reserve(ledger, wanted(1));
  await assert.rejects(ledger.begin(wanted(2, { identifierHash: 'no hash' })), TypeError);
  await assert.rejects(ledger.sold('nobody', '0x1', 1), /never sent for settlement/);
  const locker = child('lock', file);
  await locker.started;
  let turns = 0;
  const ticking = setInterval(() => { turns += 1; }, 10);
  await assert.rejects(ledger.begin(wanted(3)), LedgerUnavailable);
  clearInterval(ticking);
  assert.ok(turns > 200, `${turns} turns`);
  assert.ok(await ledger.find({ payment: wanted(1).payment }), 'reading goes on meanwhile');
  locker.process.stdin.write('release\n');
  await locker.ended;
  await ledger.ping();
  await ledger.close();
  await assert.rejects(ledger.ping(), LedgerUnavailable);
});

test('another process that looks at the ledger and leaves does not take the log away from under the two connections of this one', async () => {
  const file = fresh();
  const ledger = await openSqliteLedgerApart(file);
  await reserve(ledger, wanted(1));
  if (existsSync('/proc/locks')) {
    const own = readFileSync('/proc/locks', 'utf8').split('\n').filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(file).ino} `));
    assert.ok(own.length > 0, 'this process holds its lock on the file, which the opening of the second connection has not ended');
  }
  const visitor = child('lock', file);
  await visitor.started;
  visitor.process.stdin.write('release\n');
  await visitor.ended;
  assert.ok(existsSync(`${file}-wal`));
  await reserve(ledger, wanted(2));
  const other = child('race', file, '3', '1');
  await other.started;
  other.process.stdin.write('go\n');
  await other.ended;
  assert.deepEqual(other.told.slice(1).map(({ n }) => n), [0], 'it sees what was begun here, before and after');
  await ledger.close();
});

test('a call that cannot be sent to the other thread fails alone', async () => {
  const ledger = await openSqliteLedgerApart(fresh());
  const [good, bad, other] = await Promise.allSettled([ledger.useOnce('first', 1), ledger.useOnce((() => 'no text') as unknown as string, 1), ledger.useOnce('second', 1)]);
  assert.deepEqual([good.status, bad.status, other.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal(await ledger.useOnce('first', 1), false);
  await ledger.close();
});

test('what was asked for before it was closed is written', async () => {
  const file = fresh();
  const ledger = await openSqliteLedgerApart(file);
  const { id } = await reserve(ledger, wanted(1));
  const asked = [ledger.begin(wanted(2)), ledger.settling(id, answer('x'), 1), ledger.delivered({ purchaseId: id, kind: 'first', atMs: 1, complete: true })];
  await ledger.close();
  await Promise.all(asked);
});

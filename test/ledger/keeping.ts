/** Backup, restore, the operator's screen and the analysts' files: the same for every kind of ledger. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Place } from './conformance.ts';
import { child } from './processes.ts';
import { all, bodyOf, claim, payment, purchaseIn, reserve, sha256, wanted } from './purchases.ts';
import { BARE } from '../environment.ts';

const root = new URL('../../', import.meta.url).pathname;
const LARGE = 'a long answer '.repeat(200_000);

/** A ledger with something in every table. */
async function fill(ledger: Ledger): Promise<void> {
  await purchaseIn(ledger, 'sold', 1, {
    lead: 'sold-lead',
    body: 'what was bought',
    identifierHash: sha256('order 1'),
    nowMs: Date.UTC(2026, 10, 20, 9),
  });
  await purchaseIn(ledger, 'sold', 2, { body: LARGE, route: 'GET /api/deals', nowMs: Date.UTC(2026, 10, 21, 9) });
  await purchaseIn(ledger, 'sold', 3, {
    body: 'what was bought',
    route: 'GET /api/deals',
    nowMs: Date.UTC(2026, 10, 21, 10),
    payment: { ...payment(3), amount: 50_000n },
  });
  const open = await purchaseIn(ledger, 'settling', 4, { lead: 'open-lead', nowMs: Date.now() - 3 * 3_600_000 });
  await ledger.unknown(open.id, 'not_seen', '0xabc');
  await purchaseIn(ledger, 'released', 5, { lead: 'given-back', body: '' });
  await purchaseIn(ledger, 'reserved', 6, { lead: 'reserved-lead' });
  for (const [i, p] of (await all(ledger.purchases())).filter((q) => q.state === 'sold').entries()) {
    await ledger.delivered({ purchaseId: p.id, kind: 'first', atMs: 5, complete: i > 0 });
  }
  await ledger.useOnce('token', Date.now() + 1e9);
  await ledger.recordMoney('real');
}

/** Everything that a ledger tells of itself. */
async function told(ledger: Ledger): Promise<unknown> {
  const purchases = await all(ledger.purchases());
  return {
    purchases,
    deliveries: await all(ledger.deliveries()),
    soldLeads: await ledger.soldLeads(),
    claimed: [...(await ledger.claimedLeads(0))].sort(),
    answers: await Promise.all(
      purchases.map(async ({ id }) => {
        const answer = await ledger.answerOf(id);
        return answer && { headers: answer.headers, body: sha256((await bodyOf(answer)) ?? '') };
      }),
    ),
  };
}

export function keeping(place: Place, other: Place): void {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-keeping-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const make = (command: string, env: Record<string, string>): { status: number | null; out: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['ledger/cli.ts', command], {
      cwd: root,
      encoding: 'utf8',
      env: { ...BARE, DATA_DIR: folder, ...env },
    });
    return { status, out: stdout + stderr };
  };
  const file = join(folder, 'backup.gz');

  test('a backup is read back and found whole, and makes the same ledger again, in either database', async () => {
    const name = await place.fresh();
    const ledger = await place.open(name);
    await fill(ledger);
    const before = await told(ledger);
    const made = make('backup', { LEDGER: name, FILE: file });
    assert.equal(made.status, 0, made.out);
    assert.match(
      made.out,
      /is a complete, checked backup of .*: 4 answers, 5 answer chunks, 6 purchases, 3 claims, 0 transfers, 0 audits, 0 gas days, 3 deliveries, 1 used tokens, 0 withheld leads\n$/,
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    for (let n = 100; n < 120; n += 1) await purchaseIn(ledger, 'sold', n, { lead: `later-${n}` });
    await ledger.close();
    for (const [kind, target] of [
      ['the same', await place.fresh()],
      ['the other', await other.fresh()],
    ] as const) {
      const restored = make('restore', { LEDGER: target, FILE: file });
      assert.equal(restored.status, 0, `${kind}: ${restored.out}`);
      const again = await (target.startsWith('postgres') === name.startsWith('postgres') ? place : other).open(target);
      assert.deepEqual(await told(again), before, kind);
      assert.deepEqual(await again.begin(wanted(1)).then((b) => b.kind), 'taken', 'a payment that was used stays used');
      const next = await reserve(again, wanted(50));
      assert.equal(
        await claim(again, next.id, ['sold-lead', 'open-lead', 'given-back'], 0),
        'given-back',
        'sold leads are still sold',
      );
      assert.equal(await again.useOnce('token', Date.now() + 1e9), false);
      assert.equal(await again.recordMoney('test'), 'real');
      await again.delivered({ purchaseId: next.id, kind: 'first', atMs: 9, complete: true });
      await again.close();
      const refused = make('restore', { LEDGER: target, FILE: file });
      assert.equal(refused.status, 1);
      assert.match(refused.out, /^the ledger is not empty\. Set OVERWRITE=1 to delete its content\n$/);
      assert.equal(make('restore', { LEDGER: target, FILE: file, OVERWRITE: '1' }).status, 0);
      const over = await (target.startsWith('postgres') === name.startsWith('postgres') ? place : other).open(target);
      assert.deepEqual(await told(over), before, 'overwritten, it holds what the backup held and nothing else');
      await over.close();
    }
  });

  test('a backup made while another process sells is one moment of the ledger', async () => {
    const [name, target, busy] = [await place.fresh(), await place.fresh(), join(folder, 'busy.gz')];
    const seller = child('sell', name, '0', '100000');
    await seller.started;
    const before = seller.told.length;
    const made = make('backup', { LEDGER: name, FILE: busy });
    await seller.heard(before + 2);
    seller.process.kill('SIGKILL');
    await seller.ended;
    assert.equal(made.status, 0, made.out);
    assert.equal(make('restore', { LEDGER: target, FILE: busy }).status, 0);
    const [was, is] = [await place.open(name), await place.open(target)];
    const [later, then] = [await all(was.purchases()), await all(is.purchases())];
    assert.ok(then.length > 0 && later.length > then.length, 'it went on selling');
    assert.deepEqual(
      then.map((p) => p.id),
      later.slice(0, then.length).map((p) => p.id),
      'what was begun until then, and nothing after',
    );
    for (const { id, state, answerSha256 } of then)
      if (state !== 'reserved') assert.equal(sha256((await bodyOf(await is.answerOf(id))) ?? ''), answerSha256);
    await Promise.all([was.close(), is.close()]);
  });

  test('a backup that is cut, changed or something else is refused in one line, and no ledger is touched', async () => {
    const name = await place.fresh();
    const whole = readFileSync(file);
    const text = gunzipSync(whole).toString();
    const wrong: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ['cut', whole.subarray(0, whole.length - 500), /damaged after \d+ lines/],
      [
        'without its end',
        gzipSync(text.slice(0, text.lastIndexOf('{"counts"'))),
        /is incomplete: it ends after \d+ lines/,
      ],
      ['a row short', gzipSync(text.replace(/^\["deliveries".*\n/m, '')), /has 2 rows of deliveries, expected 3/],
      [
        'other bytes',
        gzipSync(
          text.replace(
            Buffer.from('what was bought').toString('base64'),
            Buffer.from('what was BOUGHT').toString('base64'),
          ),
        ),
        /the bytes of the answer of purchase .* are not those that were sold/,
      ],
      ['another file', gzipSync('{"hello": 1}\n'), /is not a backup of a ledger/],
      [
        'a newer one',
        gzipSync(text.replace('"version":2', '"version":3')),
        /backup of version 3, and this program reads versions 1 to 2/,
      ],
    ];
    for (const [kind, bytes, why] of wrong) {
      const damaged = join(folder, 'damaged.gz');
      writeFileSync(damaged, bytes);
      const { status, out } = make('restore', { LEDGER: name, FILE: damaged });
      assert.ok(status === 1 && why.test(out) && out.trim().split('\n').length === 1, `${kind}: ${out}`);
    }
    assert.deepEqual(
      readdirSync(folder).filter((f) => f.endsWith('.tmp')),
      [],
    );
  });

  test('one screen: revenue by day and endpoint, what is unknown and for how long, leads, what was never delivered; and Parquet', async () => {
    const name = await place.fresh();
    const ledger = await place.open(name);
    await fill(ledger);
    await ledger.close();
    const { status, out } = make('report', { LEDGER: name, DAYS: '3660', PARQUET: join(folder, 'parquet') });
    assert.equal(status, 0, out);
    for (const line of [
      /3 sold for \$2\.05, 1 settling, 1 reserved, 1 released/,
      /2026-11-21 {2}GET \/api\/deals +2 {2}\$1\.05/,
      /2026-11-20 {2}GET \/api\/leads\/exclusive +1 {2}\$1\.00/,
      /all {2}every endpoint +3 {2}\$2\.05/,
      /unknown outcome: 1\n {2}\S+ {2}GET \/api\/leads\/exclusive {2}\$1\.00 {2}3 h old {2}lead open-lead {2}0xabc {2}not_seen/,
      /Leads: 1 sold, 1 being paid for, 1 reserved/,
      /never sent completely: 1 \(their buyers can collect them\)/,
    ])
      assert.match(out, line);
    assert.ok(out.split('\n').length < 40, 'one screen');
    const duck = await openDuck();
    const of = (table: string, what: string): Promise<Record<string, unknown>[]> =>
      rowsOf(
        duck.connection,
        `SELECT ${what} FROM read_parquet(${literal(join(folder, 'parquet', `${table}.parquet`))})`,
      );
    assert.deepEqual(
      await of('purchases', "count(*) AS n, sum(amount_atomic::HUGEINT) FILTER (state = 'sold') AS sold"),
      [{ n: '6', sold: '2050000' }],
    );
    assert.deepEqual(await of('claims', 'lead_id, state ORDER BY lead_id'.replace(' ORDER BY lead_id', '')), [
      { lead_id: 'open-lead', state: 'settling' },
      { lead_id: 'reserved-lead', state: 'reserved' },
      { lead_id: 'sold-lead', state: 'sold' },
    ]);
    assert.deepEqual(await of('deliveries', 'count(*) AS n, count(*) FILTER (complete) AS complete'), [
      { n: '3', complete: '2' },
    ]);
    duck.close();
  });

  test('where there is no ledger, or no backup, that is said', () => {
    assert.match(
      make('report', { LEDGER: join(folder, 'none.sqlite') }).out,
      /which does not exist yet\. The server creates it at its first start\n$/,
    );
    assert.match(
      make('restore', { LEDGER: join(folder, 'none.sqlite'), FILE: join(folder, 'none.gz') }).out,
      /^FILE is .*expected an existing backup\n$/,
    );
    assert.ok(!readdirSync(folder).includes('none.sqlite'));
  });
}

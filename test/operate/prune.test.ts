/**
 * Prune removes what the policy says from a published folder, and what is left gives the same bytes.
 */
import assert from 'node:assert/strict';
import { cp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type Layout } from '../../pipelines/layout.ts';
import { holdFolder, holdForReading } from '../../pipelines/run/lock.ts';
import { prune, retainedSnapshots } from '../../pipelines/operate/prune.ts';
import { rowsOf } from '../../lib/duck.ts';
import { openSnapshot } from '../../pipelines/analyse/open_snapshot.ts';
import { archivedPages, readsUpTo } from '../../pipelines/ingest/reads.ts';
import { listSnapshots, readManifest, snapshotBefore, verifySnapshot } from '../../pipelines/snapshots.ts';
import { openArchive } from '../../lib/archive.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { World } from '../../sandbox/world/types.ts';
import { copyOf, published, runDay, withoutChanges } from '../pipelines/runs.ts';
import { afterSecondDay } from '../pipelines/starting_points.ts';

test('all snapshots of a week stay, then the last of each day, then of each month; the current one at any age', () => {
  const [week, days, months] = [
    ['2026-11-13.01', '2026-11-13.02', '2026-11-20.01'],
    ['2026-11-11.02', '2026-11-12.01'],
    ['2023-12-31.01', '2026-09-30.01', '2026-10-02.01'],
  ];
  const gone = ['2023-10-31.01', '2026-09-29.01', '2026-11-11.01'];
  const current = '2020-01-01.01';
  const snapshots = [current, ...gone, ...week, ...days, ...months];
  const retained = retainedSnapshots({ today: '2026-11-20', current, snapshots }, 10);
  assert.deepEqual([...retained].sort(), [current, ...week, ...days, ...months].sort());
});

describe('on the disk', () => {
  /** Every table with history. */
  const tables = ['listing_history', 'signals', 'auctions', 'filings'];
  /** Lists, pages and records of each kind, in less time than all of them take. */
  const READ = [
    'heartland_multifamily',
    'buckeye_income_property',
    'reso_sandbox_mls',
    'hud_fmr',
    'oh_cuyahoga_tax',
    'oh_stark_sheriff',
    'colorado_sos',
  ];
  const only = READ;
  const NOTHING = { snapshots: [], files: [], reads: [], runs: [], objects: [] };
  let layout: Layout;
  let world: World;
  before(async () => {
    ({ layout, world } = await afterSecondDay());
    await runDay({ layout, world, day: '2026-11-30', only, tables });
  });
  const copied = (): Promise<Layout> => copyOf(layout);

  test('without APPLY nothing is removed', async () => {
    const files = async (): Promise<string[]> => (await readdir(layout.root, { recursive: true })).sort();
    const there = await files();
    const { plan, lines } = await prune(layout, 0, { apply: false });
    assert.deepEqual(plan.snapshots, ['2026-11-20.01']);
    assert.ok(plan.reads.length > 2);
    assert.match(lines.join('\n'), /to remove: 1 of 3 snapshots[\s\S]*Nothing was removed\. APPLY=1 removes it/);
    assert.deepEqual(
      (await files()).filter((f) => !f.startsWith('lock')),
      there.filter((f) => !f.startsWith('lock')),
    );
  });

  test('after the strictest policy the day builds the same bytes, and every retained row has its page', async () => {
    const pruned = await copied();
    // The Iceberg tables cannot be written: what was removed is listed all the same.
    await rm(pruned.iceberg, { recursive: true, force: true });
    await writeFile(pruned.iceberg, 'no folder');
    const { lines } = await prune(pruned, 0, { apply: true });
    assert.match(
      lines.join('\n'),
      /^removed: 1 of 3 snapshots.*^The Iceberg tables still name removed snapshots, the next/msu,
    );
    await rm(pruned.iceberg);
    assert.deepEqual(await listSnapshots(pruned), ['2026-11-23.01', '2026-11-30.01']);
    assert.equal(await readlink(pruned.current), 'snapshots/2026-11-30.01');
    assert.deepEqual(await verifySnapshot(pruned, '2026-11-30.01'), []);
    assert.equal((await snapshotBefore(pruned, '2026-11-30'))?.run_id, '2026-11-23.01');
    assert.deepEqual((await prune(pruned, 0, { apply: false })).plan, NOTHING);
    assert.deepEqual(await readdir(pruned.run('2026-11-20.01')), [], 'its run id stays taken');

    // Every page that a row of a kept snapshot names, and every read that is left, can still be read from the archive.
    const archive = await openArchive(pruned.root);
    for (const table of tables) {
      const pages = new Set((await published(pruned, '2026-11-23.01', table)).map((r) => String(r['page_sha256'])));
      for (const page of pages) await archive.read(page);
    }
    for (const source of await readdir(pruned.stagedRoot)) {
      for (const record of await readsUpTo(pruned, source, '2026-11-30'))
        if (record.status === 'good') await archivedPages(archive, record);
    }

    const day = '2026-11-30';
    const then = await readManifest(pruned, `${day}.01`);
    const { manifest } = await runDay({ layout: pruned, world, day, only: [], tables });
    assert.deepEqual(withoutChanges({ manifest }), withoutChanges({ manifest: then }));
    const rowsOfEach = ({ sources }: Manifest): object => sources.map((each) => [each.source, each.staged_sha256]);
    assert.deepEqual(rowsOfEach(manifest ?? assert.fail()), rowsOfEach(then));
  });

  test('an older snapshot keeps small tables and opens without its DuckDB file; a lost file is damage', async () => {
    const pruned = await copied();
    const daily = 365;
    const { plan } = await prune(pruned, daily, { apply: true });
    const [old, earlier, current] = ['2026-11-20.01', '2026-11-23.01', '2026-11-30.01'] as const;
    const { serving } = await readManifest(pruned, old);
    const databases = ['dealfeed.duckdb', ...serving.map(({ file }) => file)].sort();
    assert.equal(databases.length, 3);
    assert.deepEqual(
      plan.files,
      databases.map((file) => ({ runId: old, file })),
    );
    assert.deepEqual((await prune(pruned, daily, { apply: false })).plan, NOTHING);
    for (const id of [earlier, current]) assert.deepEqual(await verifySnapshot(pruned, id), []);
    assert.deepEqual(await verifySnapshot(pruned, old, 'retained'), []);
    assert.deepEqual(await verifySnapshot(pruned, old, 'tables'), []);
    assert.deepEqual(
      (await verifySnapshot(pruned, old)).sort(),
      databases.map((file) => `${file} was removed by make prune`),
    );

    const snapshot = await openSnapshot(pruned.root, old);
    const { duck, manifest } = snapshot;
    for (const table of ['signals', 'filings']) {
      const [row] = await rowsOf(duck.connection, `SELECT count(*)::INT AS n FROM ${table}`);
      assert.equal(row?.['n'], manifest.tables[table]?.rows);
    }
    const [note] = await rowsOf(duck.connection, "SELECT comment FROM duckdb_tables() WHERE table_name = 'signals'");
    assert.match(String(note?.['comment']), /Made-up data/);
    await assert.rejects(duck.connection.run('DELETE FROM signals'), /read-only/);
    duck.close();

    await rm(join(pruned.snapshot(old), 'deals.parquet'));
    assert.deepEqual(await verifySnapshot(pruned, old, 'retained'), ['deals.parquet is missing']);
  });

  test('it exits while a run or a reader is at work, and removes the leftovers of a killed prune', async () => {
    const pruned = layout;
    const release = await holdFolder(pruned);
    await assert.rejects(prune(pruned, 0, { apply: true }), /in use by another run/);
    release();
    const endReading = holdForReading(pruned);
    await assert.rejects(prune(pruned, 0, { apply: true }), /Nothing was removed/);
    assert.equal((await listSnapshots(pruned)).length, 3);
    endReading();
    await cp(pruned.snapshot('2026-11-20.01'), join(pruned.snapshots, '.pruned-2026-11-19.01'), { recursive: true });
    await prune(pruned, 0, { apply: true });
    assert.deepEqual((await readdir(pruned.snapshots)).sort(), ['2026-11-23.01', '2026-11-30.01']);
  });
});

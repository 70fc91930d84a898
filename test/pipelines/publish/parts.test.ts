/** A register is published in parts: a day writes its own news, shares the other parts, and loses nothing. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { PublishedTable } from '../../../models/manifest.ts';
import { isSame, rebuild } from '../../../pipelines/commands/rebuild.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { bytesShort } from '../../../pipelines/format.ts';
import { prune } from '../../../pipelines/operate/prune.ts';
import { readManifest, verifySnapshot } from '../../../pipelines/snapshots.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { backUpTo, newPath, restoreTo } from '../../operate/backup_folders.ts';
import { modelsOf } from '../some_tables.ts';
import { newLayout, published, runDay } from '../runs.ts';

const TABLES = ['filings', 'agents', 'registers'];
const DAYS = ['2026-11-12', '2026-11-13', '2026-11-14'] as const;
const [FIRST, SECOND, THIRD] = ['2026-11-12.01', '2026-11-13.01', '2026-11-14.01'] as const;
const world = makeWorld({ seed: 20, listings: 0, parcels: 0, auctions: 0, filings: 2000 });

type Entity = Record<string, string>;

describe('a register over three days', () => {
  let layout: Layout;
  /** An old entity that the second day shows with another day of formation and another agent. */
  let moved = '';
  /** An entity that the second day shows for the first time, formed years before. */
  const late = '19990000001';
  const files = async (run: string, table = 'filings'): Promise<PublishedTable['files']> =>
    (await readManifest(layout, run)).tables[table]?.files ?? assert.fail(table);
  const filing = async (run: string, id: string): Promise<Record<string, unknown> | undefined> => {
    const found = await published(layout, run, 'filings', `WHERE document_number = '${id}'`);
    assert.ok(found.length <= 1, `${id} is there ${found.length} times`);
    return found[0];
  };

  before(async () => {
    layout = await newLayout();
    const only = ['colorado_sos'];
    const change: Alter = ({ path }, response) => {
      if (!path.endsWith('4ykn-tg5h.json') || response.status !== 200) return undefined;
      const rows = JSON.parse(Buffer.from(response.body).toString()) as Entity[];
      const row = rows.find(({ entityformdate = '9' }) => entityformdate < '2026-06');
      if (!row) return undefined;
      moved = row['entityid'] ?? '';
      const other = { ...row, entityformdate: '1990-05-05T00:00:00.000', agentorganizationname: 'ANOTHER AGENT' };
      const changed = rows.map((each) => (each === row ? other : each));
      return { ...response, body: Buffer.from(JSON.stringify([...changed, { ...row, entityid: late }])) };
    };
    for (const day of DAYS) {
      const alter = day === DAYS[1] ? { alter: change } : {};
      await runDay({ layout, world, day, only, tables: TABLES, ...alter });
    }
  });

  test('a day writes only its new rows, and shares the other parts', async () => {
    const [[base], second] = [await files(FIRST), await files(SECOND)];
    assert.deepEqual(second[0], base);
    assert.equal(second.length, 2);
    const { rows } = (await readManifest(layout, SECOND)).tables['filings'] ?? assert.fail();
    assert.ok(rows > (base?.rows ?? 0) && (second[1]?.rows ?? 0) * 8 < rows);
    const inode = (run: string): number => statSync(join(layout.snapshot(run), base?.file ?? '')).ino;
    assert.equal(inode(FIRST), inode(SECOND));
    assert.equal((await published(layout, SECOND, 'filings')).length, rows);
  });

  test('a filing with another date replaces the one before; a late one is late; each day stays as it was', async () => {
    const [then, now] = [await filing(FIRST, moved), await filing(SECOND, moved)];
    assert.deepEqual(
      [now?.['filing_date'], now?.['change_kind'], now?.['id']],
      ['1990-05-05', 'changed', then?.['id']],
    );
    assert.notEqual(then?.['filing_date'], '1990-05-05');
    assert.equal((await filing(SECOND, late))?.['change_kind'], 'late');
    assert.equal(await filing(FIRST, late), undefined);
    const [register] = await published(layout, SECOND, 'registers');
    assert.equal(register?.['filings'], (await readManifest(layout, SECOND)).tables['filings']?.rows);
  });

  test('every day is rebuilt with the same parts', async () => {
    for (const run of [FIRST, SECOND, THIRD])
      assert.ok(isSame(await rebuild(layout, run, { models: await modelsOf(TABLES) })), run);
  });

  test('a backup has a shared part once, and a restored folder shares it again', async () => {
    const [TO, DATA_DIR] = [newPath('backups'), newPath('restored')];
    await backUpTo(layout.root, TO);
    const { backup } = await restoreTo(DATA_DIR, TO);
    const [base] = await files(FIRST);
    assert.ok(backup.files.filter(({ sha256 }) => sha256 === base?.sha256).length >= 2);
    assert.ok(statSync(join(DATA_DIR, 'snapshots', SECOND, base?.file ?? '')).nlink >= 2);
    // What runs wrote, but locks, marks of this disk, and what the next run writes.
    const isDerived = /(?:lock|readers)\.sqlite|verified\.json|-(?:wal|shm)$|^iceberg|^archive\/incoming/u;
    const namesOf = (root: string): string[] =>
      readdirSync(root, { recursive: true })
        .map(String)
        .filter((name) => !isDerived.test(name));
    assert.deepEqual(namesOf(DATA_DIR).sort(), namesOf(layout.root).sort());
  });

  test('a part is deleted with the last snapshot that has it', async () => {
    const { manifest } = await runDay({ layout, world, day: '2027-12-30', only: [], tables: TABLES });
    const parts = manifest?.tables['filings']?.files ?? [];
    assert.deepEqual(parts, await files(THIRD), 'a day without news writes no part');
    /** Files on the disk, each once. */
    const bytesOnDisk = (): number => {
      const names = readdirSync(layout.snapshots, { recursive: true }).map(String);
      const found = names.map((name) => statSync(join(layout.snapshots, name))).filter((each) => each.isFile());
      return [...new Map(found.map(({ ino, size }) => [ino, size])).values()].reduce((a, b) => a + b, 0);
    };
    const bytesBefore = bytesOnDisk();
    const { plan, lines } = await prune(layout, 0, { apply: true });
    assert.ok(!existsSync(layout.snapshot(FIRST)));
    assert.deepEqual(plan.files, []);
    const freed = bytesShort(bytesBefore - bytesOnDisk());
    assert.match(lines[0] ?? '', new RegExp(`snapshots, ${freed}$`, 'u'), 'a part that stays is not counted as freed');
    assert.deepEqual(await verifySnapshot(layout, manifest?.run_id ?? ''), []);
  });
});

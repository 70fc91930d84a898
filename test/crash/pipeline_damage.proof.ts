/**
 * Every kind of file of a data folder, changed, cut or lost: a run or command names it with what to do, uses nothing of
 * it, and the advice repairs it. The suite has one damaged staged file and one damaged snapshot
 * (pipeline_short.test.ts).
 */
import assert from 'node:assert/strict';
import { copyFile, cp, mkdtemp, rename, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sha256OfFile } from '../../lib/files.ts';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { readsUpTo } from '../../pipelines/ingest/reads.ts';
import { currentSnapshot, readManifest, verifySnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import {
  flipBit,
  newestStaged,
  RESTORED,
  runCommand,
  runToEnd,
  snapshotDamage,
  stagedDamage,
  type Ended,
} from './pipeline_damage.ts';
import { damageBodies } from '../lib/archive_files.ts';
import { hashesOn, wrongIn } from './pipeline_folder.ts';
import { webOf } from '../process/web.ts';

const [FIRST, SECOND, THIRD] = ['2026-11-20', '2026-11-21', '2026-11-22'] as const;
const SOURCES = 'heartland_multifamily,hud_fmr,oh_hamilton_tax';
const web = webOf(makeWorld({ seed: 7, listings: 60, parcels: 400, auctions: 30, filings: 60 }));

const run = (layout: Layout, day: string, sources = SOURCES): Promise<Ended> => runToEnd(web, layout, day, sources);

describe('after two days, a changed file', () => {
  let whole: Layout;
  let third: Record<string, string>;
  const made: string[] = [];
  /** A folder in which one thing after another is damaged and mended, until its third day is read at last. */
  let mended: Layout;
  /** A folder of its own with the two days in it. */
  async function copy(): Promise<Layout> {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-damaged-'));
    made.push(folder);
    await cp(whole.root, folder, { recursive: true, verbatimSymlinks: true });
    return layoutOf(folder);
  }
  before(async () => {
    whole = layoutOf(await mkdtemp(join(tmpdir(), 'dealfeed-damaged-')));
    made.push(whole.root);
    for (const day of [FIRST, SECOND]) assert.equal((await run(whole, day)).status, 0);
    const undisturbed = await copy();
    mended = await copy();
    assert.equal((await run(undisturbed, THIRD)).status, 0);
    third = await hashesOn(undisturbed, THIRD);
  });
  after(async () => {
    await web.close();
    for (const folder of made) await rm(folder, { recursive: true });
  });

  const staged = (layout: Layout, source: string): Promise<string> => newestStaged(layout, source, SECOND);
  async function refused({ status, out, lastLine }: Ended, layout: Layout, file: string, what: RegExp): Promise<void> {
    assert.equal(status, 1, out);
    assert.ok(lastLine.includes(file), `${lastLine} names ${file}`);
    assert.match(lastLine, what);
    assert.doesNotMatch(out, /^\s+at /mu, 'no stack is shown');
    assert.match((await currentSnapshot(layout)) ?? '', new RegExp(`^${SECOND}`, 'u'));
  }

  test('staged rows changed, truncated or lost: the run stops, and rebuild restores the same bytes', async () => {
    const layout = mended;
    const file = await staged(layout, 'oh_hamilton_tax');
    const hash = await sha256OfFile(file);
    for (const [damage, what] of [
      [flipBit, 'does not have the hash its record states'],
      [(path: string) => truncate(path, 100), 'does not have the hash its record states'],
      [rm, 'is missing'],
    ] as const) {
      await damage(file);
      await refused(await run(layout, THIRD, 'none'), layout, file, stagedDamage(what, SECOND));
      const healed = runCommand(layout, 'rebuild', { SOURCE: 'oh_hamilton_tax', SINCE: SECOND });
      assert.equal(healed.status, 0, healed.out);
      assert.match(healed.out, RESTORED);
      assert.equal(await sha256OfFile(file), hash);
    }
  });

  test('a damaged table or manifest of the previous snapshot: the run stops and uses no older one', async () => {
    const layout = mended;
    const serving = (await currentSnapshot(layout)) ?? '';
    const named = snapshotDamage(serving, `${FIRST}.01`);
    for (const [name, damage] of [
      ['deals.parquet', flipBit],
      ['signals.parquet', rm],
      ['manifest.json', (path: string) => truncate(path, 300)],
    ] as const) {
      const file = join(layout.snapshot(serving), name);
      await copyFile(file, `${layout.root}/backup`);
      await damage(file);
      await refused(await run(layout, THIRD), layout, name, named);
      await rename(`${layout.root}/backup`, file);
    }
  });

  test('a damaged record of a read is named; once it is repaired, the day has its usual bytes', async () => {
    const layout = mended;
    const file = (await staged(layout, 'oh_hamilton_tax')).replace(/parquet$/u, 'json');
    await truncate(file, 200);
    await refused(
      await run(layout, THIRD),
      layout,
      file,
      /is not JSON; restore it from a backup, or remove it and read the source again$/u,
    );
    await rm(file);
    assert.equal((await run(layout, THIRD)).status, 0);
    assert.deepEqual(await hashesOn(layout, THIRD), third);
  });

  test('with the damaged snapshot moved away, the history continues from the previous one', async () => {
    const layout = await copy();
    const damaged = (await currentSnapshot(layout)) ?? '';
    await rename(layout.snapshot(damaged), join(layout.root, 'moved-away'));
    assert.equal((await run(layout, THIRD)).status, 0);
    assert.equal((await readManifest(layout, (await currentSnapshot(layout)) ?? '')).previous, `${FIRST}.01`);
  });

  test("a damaged current snapshot: status and the day's run name it; moved away, its bytes come back", async () => {
    const layout = await copy();
    const damaged = (await currentSnapshot(layout)) ?? '';
    await flipBit(join(layout.snapshot(damaged), 'deals.parquet'));
    const seen = runCommand(layout, 'status');
    assert.notEqual(seen.status, 0);
    assert.match(seen.out, /DAMAGED[^]*deals\.parquet does not have the hash its manifest states/u);
    const { status, lastLine } = await run(layout, SECOND);
    assert.equal(status, 1);
    assert.match(lastLine, /^Snapshot \S+, which this run replaces, is damaged: deals\.parquet .* or move it away\.$/u);
    await rename(layout.snapshot(damaged), join(layout.root, 'moved-away'));
    assert.equal((await run(layout, SECOND)).status, 0);
    const now = (await currentSnapshot(layout)) ?? '';
    assert.notEqual(now, damaged);
    assert.deepEqual(await verifySnapshot(layout, now), []);
    assert.deepEqual(await hashesOn(layout, SECOND), await hashesOn(whole, SECOND));
  });

  test('damaged archived pages are never used: the next run fetches and repairs them', async () => {
    const layout = await copy();
    damageBodies(layout.root);
    const named = runCommand(layout, 'rebuild', { SOURCE: 'oh_hamilton_tax', DRY: '1' });
    assert.equal(named.status, 1);
    assert.match(named.out, /not rebuilt: the archived page [0-9a-f]{64} is damaged: /u);
    assert.equal((await run(layout, SECOND)).status, 0);
    assert.deepEqual(await hashesOn(layout, SECOND), await hashesOn(whole, SECOND));
    const [read] = await readsUpTo(layout, 'oh_hamilton_tax', SECOND);
    const wrong = (await wrongIn(layout)).join('\n');
    assert.ok((read?.pages.length ?? 0) > 0);
    for (const page of read?.pages ?? [])
      assert.doesNotMatch(wrong, new RegExp(page.sha256, 'u'), 'the pages of the new read are whole');
  });
});

/** Files that a failing disk has changed: each is named with what to do about it, none is silently used, and what is to be done helps. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, cp, mkdtemp, open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sha256OfFile } from '../../lib/files.ts';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { holdFolder } from '../../pipelines/run/lock.ts';
import { readsUpTo, stagedParquet } from '../../pipelines/ingest/reads.ts';
import { currentSnapshot, readManifest, verifySnapshot } from '../../pipelines/snapshots.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { filesIn, hashesOn, wrongIn } from './pipeline_folder.ts';
import { startPipeline, webOf } from './pipeline_process.ts';
import { BARE } from '../environment.ts';

const [FIRST, SECOND, THIRD] = ['2026-11-20', '2026-11-21', '2026-11-22'] as const;
const SOURCES = 'heartland_multifamily,hud_fmr,oh_hamilton_tax';
const web = webOf(makeWorld({ seed: 7, listings: 60, parcels: 400, auctions: 30, filings: 60 }));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** One bit of the middle turned over. */
async function flip(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const at = Math.floor((await handle.stat()).size / 2);
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
    await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  } finally {
    await handle.close();
  }
}

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly last: string;
}

async function run(layout: Layout, day: string, sources = SOURCES): Promise<Ended> {
  const started = await startPipeline(web, layout.root, day, { SOURCES: sources });
  const { status } = await started.ended;
  return { status, out: started.lines.join('\n'), last: started.lines.at(-1) ?? '' };
}

function command(layout: Layout, name: string, env: Record<string, string> = {}): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['pipelines/commands/cli.ts', name], {
    cwd: root,
    encoding: 'utf8',
    env: { ...BARE, DATA_DIR: layout.root, ...env },
  });
  const out = `${stdout}${stderr}`.trimEnd();
  return { status, out, last: out.split('\n').at(-1) ?? '' };
}

describe('after two days, a file that is no longer what was written', () => {
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

  /** The newest staged file of a source, as the second day left it. */
  async function staged(layout: Layout, source: string): Promise<string> {
    const [newest] = await readsUpTo(layout, source, SECOND);
    return stagedParquet(layout, source, newest?.run_id ?? '');
  }
  async function refused({ status, out, last }: Ended, layout: Layout, file: string, what: RegExp): Promise<void> {
    assert.equal(status, 1, out);
    assert.ok(last.includes(file), `${last} names ${file}`);
    assert.match(last, what);
    assert.doesNotMatch(out, /^\s+at /mu, 'no stack is shown');
    assert.match((await currentSnapshot(layout)) ?? '', new RegExp(`^${SECOND}`, 'u'));
  }

  test('staged rows changed, cut or lost: the run that needs them stops, and reparse puts them back byte for byte from the archive', async () => {
    const layout = mended;
    const file = await staged(layout, 'oh_hamilton_tax');
    const hash = await sha256OfFile(file);
    for (const [damage, what] of [
      [flip, 'does not have the hash its record states'],
      [(path: string) => truncate(path, 100), 'does not have the hash its record states'],
      [rm, 'is missing'],
    ] as const) {
      await damage(file);
      await refused(
        await run(layout, THIRD, 'none'),
        layout,
        file,
        new RegExp(
          `${what}; put it back from the archived pages with: make reparse SOURCE=oh_hamilton_tax SINCE=2026-11-21 APPLY=1$`,
          'u',
        ),
      );
      const healed = command(layout, 'reparse', { SOURCE: 'oh_hamilton_tax', SINCE: SECOND, APPLY: '1' });
      assert.equal(healed.status, 0, healed.out);
      assert.match(
        healed.out,
        /the staged rows were damaged or lost; the archived pages give them byte for byte; put back/u,
      );
      assert.equal(await sha256OfFile(file), hash);
    }
  });

  test('a table changed or lost, or a manifest cut, in the snapshot before: nothing is carried from it, nor silently from an older one', async () => {
    const layout = mended;
    const serving = (await currentSnapshot(layout)) ?? '';
    const named = new RegExp(
      `^snapshot ${serving}, from which history would be carried, is damaged: .*; restore .*/snapshots/${serving} from a backup, or move it away: history is then carried from ${FIRST}\\.01$`,
      'u',
    );
    for (const [name, damage] of [
      ['deals.parquet', flip],
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

  test('a damaged record of a read is named, and what to do about it; with all of that mended the day gives the bytes of an undisturbed one', async () => {
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

  test('moved away as the message says, the history goes on from the snapshot before it', async () => {
    const layout = await copy();
    const damaged = (await currentSnapshot(layout)) ?? '';
    await rename(layout.snapshot(damaged), join(layout.root, 'moved-away'));
    assert.equal((await run(layout, THIRD)).status, 0);
    assert.equal((await readManifest(layout, (await currentSnapshot(layout)) ?? '')).previous, `${FIRST}.01`);
  });

  test('a damaged current snapshot: status says so, and another run of the day publishes the same bytes beside it', async () => {
    const layout = await copy();
    const damaged = (await currentSnapshot(layout)) ?? '';
    await flip(join(layout.snapshot(damaged), 'deals.parquet'));
    const seen = command(layout, 'status');
    assert.notEqual(seen.status, 0);
    assert.match(seen.out, /DAMAGED[^]*deals\.parquet does not have the hash its manifest states/u);
    assert.equal((await run(layout, SECOND)).status, 0);
    const now = (await currentSnapshot(layout)) ?? '';
    assert.notEqual(now, damaged);
    assert.deepEqual(await verifySnapshot(layout, now), []);
    assert.deepEqual(await hashesOn(layout, SECOND), await hashesOn(whole, SECOND));
  });

  test('damaged objects of the archive are never taken for pages: the next run asks for them whole and heals them', async () => {
    const layout = await copy();
    const objects = (await filesIn(join(layout.root, 'archive', 'objects'))).map((f) =>
      join(layout.root, 'archive', 'objects', f),
    );
    for (const object of objects) await flip(object);
    const named = command(layout, 'reparse', { SOURCE: 'oh_hamilton_tax' });
    assert.equal(named.status, 1);
    assert.match(named.out, /not rebuilt: archive object objects\/[0-9a-f/]+ is damaged: its SHA-256 is/u);
    assert.equal((await run(layout, SECOND)).status, 0);
    assert.deepEqual(await hashesOn(layout, SECOND), await hashesOn(whole, SECOND));
    const [read] = await readsUpTo(layout, 'oh_hamilton_tax', SECOND);
    const wrong = (await wrongIn(layout)).join('\n');
    assert.ok((read?.pages.length ?? 0) > 0);
    for (const page of read?.pages ?? [])
      assert.doesNotMatch(wrong, new RegExp(page.sha256, 'u'), 'the pages of the new read are whole');
  });

  test('a lock file that a kill left empty locks like any other', async () => {
    const layout = layoutOf(await mkdtemp(join(tmpdir(), 'dealfeed-damaged-')));
    made.push(layout.root);
    await writeFile(layout.lock, '');
    const letGo = await holdFolder(layout);
    await assert.rejects(holdFolder(layout), /another run is at work \(process \d+\)/u);
    letGo();
    (await holdFolder(layout))();
  });
});

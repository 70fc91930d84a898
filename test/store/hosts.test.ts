/** Runs on hosts that share a store and no folder. */
import assert from 'node:assert/strict';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../lib/store/open.ts';
import { readCatalog, type Catalog } from '../../lib/store/catalog.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { objectOf, type NamedFile } from '../../lib/store/store.ts';
import type { RunResult } from '../../pipelines/run/run.ts';
import { currentSnapshot, listSnapshots, verifySnapshot } from '../../pipelines/snapshots.ts';
import { NONE_SOLD } from '../../pipelines/sold_leads.ts';
import { runStoreOf, type RunStore } from '../../pipelines/store/run_store.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { copyOf, hashesOf, newLayout, runDay, TINY, type OneRun } from '../pipelines/runs.ts';
import { startS3, withS3, type S3Server } from './s3_server.ts';

const world = makeWorld(TINY);
/** A site whose pages a second read confirms, one that has rows rejected, and a file. */
const SOURCES = ['heartland_multifamily', 'oh_stark_tax', 'hud_fmr'];

describe('hosts with one store', () => {
  let s3: S3Server;
  let restore: () => void;
  const open: RunStore[] = [];
  before(async () => {
    s3 = await startS3();
    restore = withS3(s3);
  });
  after(async () => {
    for (const store of open) store.close();
    restore();
    await s3.close();
  });

  const storeOf = async (layout: Layout, waitMs = 0): Promise<RunStore> => {
    const store = runStoreOf({ store: await openStore(s3.address, waitMs), layout, cacheMb: 1000, print: () => {} });
    open.push(store);
    return store;
  };
  const runOn = async (layout: Layout, day: string, options: Partial<OneRun> = {}): Promise<RunResult> =>
    runDay({
      layout,
      world,
      day,
      only: ({ name }) => SOURCES.includes(name),
      tables: ['sources', 'listing_history'],
      ...options,
    });
  const catalog = async (): Promise<Catalog | undefined> => {
    const store = await openStore(s3.address, 0);
    const read = await readCatalog(store);
    store.close();
    return read?.catalog;
  };

  const [first, second] = ['2026-11-20', '2026-11-21'];
  let one: Layout;
  let two: Layout;
  /** Has the runs of both days, and all of their pages. */
  let alone: Layout;

  test('a run on an empty disk continues from the store with the bytes of one machine alone', async () => {
    one = await newLayout();
    await runOn(one, first, { store: await storeOf(one) });
    alone = await copyOf(one);
    const expected = await runOn(alone, second);
    two = await newLayout();
    const continued = await runOn(two, second, { store: await storeOf(two) });
    assert.deepEqual(hashesOf(continued), hashesOf(expected));
    const { database: _one, ...manifest } = continued.manifest ?? assert.fail();
    const { database: _other, ...other } = expected.manifest ?? assert.fail();
    assert.deepEqual(manifest, other);
    assert.ok(
      manifest.sources.some((s) => s.traffic.not_modified > 0),
      'a page of the other host is confirmed and not sent again',
    );
    assert.deepEqual(await listSnapshots(two), [`${first}.01`, `${second}.01`]);
    assert.deepEqual(await verifySnapshot(two, `${first}.01`), []);
    const { current, runs } = (await catalog()) ?? assert.fail();
    assert.equal(current, `${second}.01`);
    assert.equal(runs.length, 2);
  });

  test('of two runs at once one publishes; the other says so, and its next run continues from there', async () => {
    const day = '2026-11-22';
    const nothing = { only: () => false, tables: ['sources'] };
    const racing = runOn(one, day, {
      ...nothing,
      store: await storeOf(one),
      // Between its start and its publication, the other host does a whole run.
      soldLeads: async () => {
        await runOn(two, day, { ...nothing, store: await storeOf(two) });
        return NONE_SOLD;
      },
    });
    await assert.rejects(racing, {
      name: 'PublishedElsewhere',
      message:
        `Run ${day}.02 published to STORE s3://deals/feed while this run worked, so run ${day}.01 published nothing. ` +
        'Its pages and rows are stored. Run again: it continues from there.',
    });
    assert.equal((await catalog())?.current, `${day}.02`);
    assert.notEqual(await currentSnapshot(one), `${day}.01`);
    assert.ok(!(await listSnapshots(one)).includes(`${day}.01`));
    const next = await storeOf(one);
    await next.pull('2026-11-23');
    assert.equal(await currentSnapshot(one), `${day}.02`);
    assert.deepEqual(await verifySnapshot(one, `${day}.02`), []);
  });

  test('pages that workers put into the store need not be in the folder; a page that is lost is named', async () => {
    const layout = alone;
    const store = await openStore(`${s3.address}-of-workers`, 0);
    const run = runStoreOf({ store, layout, cacheMb: 1000, print: () => {} });
    open.push(run);
    const [page, other] = (await (await openArchive(layout.root)).records(SOURCES[0] ?? '', `${first}.01`)).flatMap(
      ({ sha256 }) => sha256 ?? [],
    );
    const [stored, lost] = [objectOf(page ?? assert.fail()), objectOf(other ?? assert.fail())];
    const pathOf = ({ name }: NamedFile): string => join(layout.root, 'archive', name);
    await store.putFile(stored, pathOf(stored));
    await rm(pathOf(stored));
    await rename(pathOf(lost), `${pathOf(lost)}.lost`);
    await assert.rejects(run.pull('2026-11-23'), {
      name: 'StoreDamage',
      message:
        /^page [0-9a-f]{64} of the archive is neither in DATA_DIR .* nor in STORE s3:\/\/deals\/feed-of-workers\./u,
    });
    assert.equal(await readCatalog(store), null);
    await rename(`${pathOf(lost)}.lost`, pathOf(lost));
    await run.pull('2026-11-23');
    assert.ok((await readCatalog(store))?.catalog.runs.some(({ run_id }) => run_id === `${first}.01`));
  });

  test('a folder with a history of its own is refused', async () => {
    const other = await newLayout();
    await cp(two.root, other.root, { recursive: true, verbatimSymlinks: true });
    await rm(join(other.root, 'store.json'));
    await rename(other.snapshot(`${second}.01`), other.snapshot('2026-10-01.01'));
    await assert.rejects((await storeOf(other)).pull('2026-11-23'), {
      name: 'SettingError',
      message: /^STORE is s3:\/\/deals\/feed, whose history does not have snapshot 2026-10-01\.01 of DATA_DIR/u,
    });
  });

  test('a service that ignores conditional writes is refused before anything is read', async () => {
    const careless = await startS3({ conditional: false });
    const back = withS3(careless);
    try {
      const layout = await newLayout();
      await assert.rejects(runOn(layout, first, { store: await storeOf(layout) }), {
        name: 'SettingError',
        message: /^STORE is s3:\/\/deals\/feed, which ignores conditional writes \(If-None-Match\)/u,
      });
      await rm(join(layout.root), { recursive: true });
    } finally {
      back();
      await careless.close();
    }
  });
});

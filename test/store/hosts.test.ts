/** Runs on hosts that share a store and no folder. */
import assert from 'node:assert/strict';
import { copyFile, cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../lib/store/open.ts';
import { readCatalog, type Catalog } from '../../lib/store/catalog.ts';
import { fetchSnapshot } from '../../lib/store/snapshot_cache.ts';
import { LAST_DAY } from '../../pipelines/clock.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { objectOf } from '../../lib/store/store.ts';
import type { RunResult } from '../../pipelines/run/run.ts';
import { currentSnapshot, listSnapshots, readManifest, verifySnapshot } from '../../pipelines/snapshots.ts';
import { NONE_SOLD } from '../../pipelines/sold_leads.ts';
import { snapshotIdOf } from '../../pipelines/open_tables/table.ts';
import { writeStoredTables } from '../../pipelines/open_tables/table.ts';
import { openRunStore, RunStore } from '../../pipelines/store/run_store.ts';
import { localReads } from '../../pipelines/store/folder.ts';
import { openArchive } from '../../lib/archive.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { copyOf, hashesOf, newLayout, runDay, type OneRun } from '../pipelines/runs.ts';
import { icebergOf } from './iceberg_tables.ts';
import { startS3, withS3, type S3Server } from './s3_server.ts';

const world = makeWorld({ seed: 7, listings: 16, parcels: 400, auctions: 0, filings: 0 });
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

  const storeOf = async (layout: Layout, print: (line: string) => void = () => {}): Promise<RunStore> => {
    const store = new RunStore({ store: await openStore(s3.address, 0), layout, print });
    open.push(store);
    return store;
  };
  const runOn = async (layout: Layout, day: string, options: Partial<OneRun> = {}): Promise<RunResult> =>
    runDay({
      layout,
      world,
      day,
      only: SOURCES,
      tables: ['listing_history'],
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

  test('a run on an empty disk continues from the store with the same bytes as a single machine', async () => {
    one = await newLayout();
    const lines: string[] = [];
    // The Iceberg metadata cannot be written: the snapshot is published all the same, and the next run writes them.
    s3.fault = ({ method, url }, response) => {
      if (method !== 'PUT' || url?.includes('/snap-') !== true) return false;
      response.writeHead(503).end();
      return true;
    };
    await runOn(one, first, { store: await storeOf(one), onLine: (line) => lines.push(line) });
    s3.fault = null;
    assert.equal((await catalog())?.current, `${first}.01`);
    assert.deepEqual(
      lines.filter((line) => line.startsWith('The Iceberg tables')),
      [
        'The Iceberg tables of STORE s3://deals/feed do not have this snapshot yet, the next run adds it: ' +
          'STORE is s3://deals/feed, which is unavailable: HTTP status 503',
      ],
    );
    assert.deepEqual(await icebergOf(s3), {});
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
    // What a server has of it is whole, too.
    const shop = await newLayout();
    const store = await openStore(s3.address, 0);
    await fetchSnapshot(store, runs[1] ?? assert.fail(), shop.root, 'serving');
    store.close();
    assert.ok((await readdir(shop.snapshot(`${second}.01`))).every((name) => !/parquet|duckdb/u.test(name)));
    assert.deepEqual(await verifySnapshot(shop, `${second}.01`), []);
  });

  test('an engine that has only the bucket finds every snapshot of every table, with all of its files', async () => {
    const { current, runs } = (await catalog()) ?? assert.fail();
    const tables = await icebergOf(s3);
    const { tables: expected } = await readManifest(two, `${second}.01`);
    assert.deepEqual(Object.keys(tables).sort(), Object.keys(expected).sort());
    const ids = runs.map((run) => snapshotIdOf(run.run_id));
    for (const { metadata, files } of Object.values(tables)) {
      assert.equal(metadata['current-snapshot-id'], snapshotIdOf(current ?? ''));
      assert.deepEqual(
        metadata.snapshots.map((s) => s['snapshot-id']),
        ids,
      );
      assert.equal(files.length, 3 * ids.length);
      for (const { location, bytes } of files) {
        const name = location.slice(`${s3.address}/`.length);
        assert.equal(location, `${s3.address}/${name}`);
        assert.equal((await stat(s3.fileOf(name))).size, bytes ?? (await stat(s3.fileOf(name))).size, location);
      }
    }
    const store = await openStore(s3.address, 0);
    const read = (await readCatalog(store)) ?? assert.fail();
    assert.deepEqual(await writeStoredTables(store, two, read.catalog), [], 'nothing is missing');
    // A host that does not have the files of the first day, and a bucket that expired one of them.
    await store.remove(`snapshots/${first}.01/deals.parquet`);
    const empty = await newLayout();
    assert.deepEqual(await writeStoredTables(store, empty, read.catalog), ['deals']);
    store.close();
    const expired = await icebergOf(s3);
    assert.equal(expired['deals']?.metadata.snapshots.length, 1);
    assert.equal(expired['listing_history']?.metadata.snapshots.length, 2);
  });

  test('one of two concurrent runs publishes; the other says so, and its next run continues from it', async () => {
    const day = '2026-11-22';
    const racing = runOn(one, day, {
      only: ['hud_fmr'],
      tables: [],
      store: await storeOf(one),
      // Between its start and its publication, the other host publishes.
      soldLeads: async () => {
        const store = await storeOf(two);
        await store.pull(day);
        assert.equal(await store.reserve(`${day}.01`), false, 'the id of the other run');
        assert.equal(await store.reserve(`${day}.02`), true);
        const made = two.snapshot(`${day}.02`);
        await cp(two.snapshot(`${second}.01`), made, { recursive: true });
        const manifest = await readManifest(two, `${second}.01`);
        await writeFile(join(made, 'manifest.json'), JSON.stringify({ ...manifest, run_id: `${day}.02`, as_of: day }));
        await store.publish(`${day}.02`);
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
    const pulled = await readFile(join(one.root, 'store.json'), 'utf8');
    const has = (runId: string, { runs }: Catalog) =>
      pulled.includes(runs.find((r) => r.run_id === runId)?.reads ?? '-');
    const stored = (await catalog()) ?? assert.fail();
    assert.deepEqual([has(`${day}.01`, stored), has(`${day}.02`, stored)], [true, false], 'not yet the other reads');
    const next = await storeOf(one);
    await next.pull('2026-11-23');
    assert.equal(await currentSnapshot(one), `${day}.02`);
    assert.deepEqual(await verifySnapshot(one, `${day}.02`), []);
  });

  test('an empty disk fetches one object for each run and the rows in use; a damaged one is named', async () => {
    const { runs } = (await catalog()) ?? assert.fail();
    assert.ok(runs.length >= 3);
    const pull = async (layout: Layout, print?: (line: string) => void): Promise<number> => {
      const asked = s3.requests.length;
      await (await storeOf(layout, print)).pull(LAST_DAY);
      return s3.requests.slice(asked).filter((request) => request.startsWith('GET objects/')).length;
    };
    const [whole, damaged] = [await newLayout(), await newLayout()];
    // The reads of each run, and the rows in use.
    assert.equal(await pull(whole), runs.length + SOURCES.length);
    const list = s3.fileOf(objectOf(runs[0]?.reads ?? '').name);
    await copyFile(list, `${list}.intact`);
    await writeFile(list, 'other bytes');
    await assert.rejects(pull(damaged), {
      name: 'StoreDamage',
      message: /^STORE \S+ objects\/\S+ has the SHA-256 \w+…, .* The file was not used\./u,
    });
    await copyFile(`${list}.intact`, list);
    await pull(damaged);
    const readsIn = async (of: Layout) => [await localReads(of), (await openArchive(of.root)).readsWithHashes()];
    assert.deepEqual(await readsIn(damaged), await readsIn(whole));
  });

  test('a folder with a history of its own is refused, and one that continues a store without STORE', async () => {
    const message = /^STORE is not set, expected s3:\/\/deals\/feed: DATA_DIR "[^"]+" continues that store\./u;
    await assert.rejects(
      openRunStore({}, two, () => {}),
      { name: 'SettingError', message },
    );
    const other = await newLayout();
    await cp(two.root, other.root, { recursive: true, verbatimSymlinks: true });
    await rm(join(other.root, 'store.json'));
    await rename(other.snapshot(`${second}.01`), other.snapshot('2026-10-01.01'));
    await assert.rejects((await storeOf(other)).pull('2026-11-23'), {
      name: 'SettingError',
      message: /^STORE is s3:\/\/deals\/feed, whose history does not have snapshot 2026-10-01\.01 of DATA_DIR/u,
    });
  });

  test('a service that ignores conditional writes is refused before anything is read', async (t) => {
    const careless = await startS3({ conditional: false });
    const back = withS3(careless);
    t.after(careless.close);
    t.after(back);
    const layout = await newLayout();
    const store = new RunStore({ store: await openStore(careless.address, 0), layout, print: () => {} });
    t.after(() => store.close());
    const read: string[] = [];
    const run = runOn(layout, '2026-11-20', {
      store,
      alter: ({ path }) => {
        read.push(path);
        return undefined;
      },
    });
    await assert.rejects(run, {
      name: 'SettingError',
      message: /^STORE is s3:\/\/deals\/feed, which ignores conditional writes \(If-None-Match\)/u,
    });
    assert.deepEqual(read, []);
  });
});

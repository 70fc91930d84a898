/** A register is served from a base and a file per day of news, and its answers are those of one file with all rows. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { cp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { Filters } from '../../../api/serving/filters.ts';
import { recordReader } from '../../../api/serving/records.ts';
import { Tables } from '../../../api/serving/tables.ts';
import { writeServingFiles } from '../../../bench/serving_files.ts';
import { openDuck } from '../../../lib/duck.ts';
import { pointAt, sha256OfFile } from '../../../lib/files.ts';
import { createTable } from '../../../lib/record.ts';
import { literal } from '../../../lib/sql.ts';
import { readCatalog } from '../../../lib/store/catalog.ts';
import { openStore } from '../../../lib/store/open.ts';
import { fetchSnapshot } from '../../../lib/store/snapshot_cache.ts';
import { selectMacros } from '../../../models/index.ts';
import { partName, type Manifest } from '../../../models/manifest.ts';
import { Filing } from '../../../models/marts/filings.ts';
import { COUNTED } from '../../../models/serving/tables.ts';
import { layoutOf } from '../../../pipelines/layout.ts';
import { newsOf, writeServingPart } from '../../../pipelines/run/serving_file.ts';
import { readManifest, verifySnapshot } from '../../../pipelines/snapshots.ts';
import { RunStore } from '../../../pipelines/store/run_store.ts';
import { buyerWith } from '../../api/support/buyers.ts';
import { rowOf, type Row } from '../../api/support/snapshot_fixtures.ts';
import { startApp } from '../../api/support/test_app.ts';
import { memoryFolder } from '../../ledger/memory_folder.ts';
import { runDay } from '../runs.ts';
import { afterFirstDay, FIRST_RUN } from '../starting_points.ts';

const partsIn = ({ serving }: Pick<Manifest, 'serving'>): Manifest['serving'] =>
  serving.filter(({ file }) => file.startsWith('filings-'));

const idsIn = (path: string): string[] => {
  const db = new DatabaseSync(path, { readOnly: true });
  const ids = db.prepare('SELECT id FROM filings ORDER BY id').all();
  db.close();
  return ids.map(({ id }) => String(id));
};

it('a day writes only its new rows, keeps the files of the day before, and answers as one file would', async () => {
  const { layout, world } = await afterFirstDay();
  const first = layout.snapshot(FIRST_RUN);
  const stateOf = (): unknown =>
    readdirSync(first).map((file) => [file, statSync(join(first, file)).ino, statSync(join(first, file)).mtimeMs]);
  const before = stateOf();
  const only = ['colorado_sos'];
  const { manifest } = await runDay({ layout, world, day: '2026-11-24', only });
  assert.ok(manifest);
  assert.deepEqual([stateOf(), await verifySnapshot(layout, FIRST_RUN)], [before, []]);
  assert.deepEqual(await verifySnapshot(layout, manifest.run_id), []);

  const second = layout.snapshot(manifest.run_id);
  const [[base], [shared, news, ...others]] = [partsIn(await readManifest(layout, FIRST_RUN)), partsIn(manifest)];
  assert.ok(base && shared && news && others.length === 0);
  assert.deepEqual(shared, base);
  assert.equal(statSync(join(second, base.file)).ino, statSync(join(first, base.file)).ino);
  const [known, added] = [idsIn(join(second, base.file)), idsIn(join(second, news.file))];
  const changed = added.filter((id) => known.includes(id));
  assert.ok(added.length < known.length / 2 && changed.length > 0 && changed.length < added.length);
  assert.equal(manifest.tables['filings']?.rows, known.length + added.length - changed.length);

  // A store has each file once, and a server that fetches both days too.
  const store = await openStore(memoryFolder('dealfeed-store-'), 0);
  await new RunStore({ store, layout, print: () => {} }).publish(manifest.run_id);
  const disk = layoutOf(memoryFolder('dealfeed-fetched-'));
  for (const run of (await readCatalog(store))?.catalog.runs ?? [])
    await fetchSnapshot(store, run, disk.root, 'serving');
  const stored = [...(await store.list('')).keys()].filter(
    (name) => name.includes('/filings-') && name.endsWith('.sqlite'),
  );
  assert.deepEqual(stored.toSorted(), [`parts/${base.file}`, `parts/${news.file}`].sort());
  for (const id of [FIRST_RUN, manifest.run_id]) assert.deepEqual(await verifySnapshot(disk, id), []);
  assert.equal(statSync(join(disk.snapshot(FIRST_RUN), base.file)).nlink, 2);
  store.close();

  // The same rows in one file.
  const whole = layoutOf(memoryFolder('dealfeed-one-load-'));
  await cp(second, whole.snapshot(manifest.run_id), { recursive: true });
  const serving = await writeServingFiles(whole.snapshot(manifest.run_id), manifest.database.file);
  assert.equal(partsIn({ serving }).length, 1);
  await writeFile(join(whole.snapshot(manifest.run_id), 'manifest.json'), JSON.stringify({ ...manifest, serving }));
  await pointAt(whole.current, join('snapshots', manifest.run_id));
  const apps = [await startApp(layout.root), await startApp(whole.root)] as const;
  const buyer = buyerWith();
  const answers = async (path: string): Promise<readonly [string, string]> => {
    const [one, other] = [await buyer.fetch(apps[0].url + path), await buyer.fetch(apps[1].url + path)];
    assert.equal(one.status, other.status, path);
    return [await one.text(), await other.text()];
  };
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void (await Promise.all(apps.map((app) => app.close()))));
  const seen: string[] = [];
  for (let cursor = ''; ;) {
    const [page, same] = await answers(`/api/filings?fields=all&limit=7${cursor}`);
    const { records, next_cursor } = JSON.parse(page) as { records: { id: string }[]; next_cursor: string | null };
    assert.deepEqual(records, (JSON.parse(same) as { records: unknown }).records);
    seen.push(...records.map(({ id }) => id));
    if (next_cursor === null) break;
    cursor = `&cursor=${next_cursor}`;
  }
  assert.deepEqual(seen.toSorted(), [...new Set([...known, ...added])].sort());
  const [name = ''] = (
    JSON.parse((await answers('/api/filings?state=CO&fields=business_name'))[0]) as { records: Row[] }
  ).records.map((one) => String(one['business_name']).slice(0, 5));
  for (const path of [
    `/api/filings?name=${encodeURIComponent(name)}`,
    '/api/filings?agent=a&state=CO',
    '/api/filings?city=denver&from_date=2026-01-01',
    '/colorado/api/filings/recent',
    '/api/count/filings?state=CO',
    '/colorado/api/meta',
    '/api/batch/weekly.csv?week=2026-W46',
  ]) {
    const [one, other] = await answers(path);
    assert.equal(one, other, path);
  }
});

/** Days of news after the first load: more than twice as many as a snapshot has files. */
const DAYS = 70;
const LOADED = 3_000;

it('files of more than 32 days are merged, and each change is there once, in its newest form', async () => {
  const folder = memoryFolder('dealfeed-parts-');
  const whole = memoryFolder('dealfeed-one-file-');
  const { connection, close } = await openDuck();
  const own = Filing.columns.filter(({ name }) => name !== COUNTED);
  const news = newsOf('filings');
  const agentsOf = (table: string): string =>
    `SELECT source, agent_of(registered_agent_name) AS agent, count(*)::INTEGER AS filings FROM ${table}
     WHERE registered_agent_name IS NOT NULL GROUP BY ALL`;
  const setUp = [
    createTable('stored', own),
    createTable(news, own),
    'CREATE TABLE agents (source VARCHAR, agent VARCHAR, filings INTEGER)',
    `CREATE TABLE ${newsOf('agents')} AS FROM agents`,
    'CREATE VIEW filings AS SELECT *, NULL::INTEGER AS agent_filings FROM stored',
    'CREATE VIEW registers AS SELECT source, min(first_seen) AS first_seen FROM stored GROUP BY source',
  ];
  await connection.run(selectMacros([agentsOf('stored')]));
  for (const sql of setUp) await connection.run(sql);

  let next = 0;
  /** A filing of a day: one of the first thousand again, or a new one. */
  const rowsOf = (day: number): Row[] => {
    const seen = new Date(Date.UTC(2026, 0, 1 + day, 12)).toISOString();
    const old = day === 0 ? [] : [day, day - 1, (day * 7) % 90, LOADED - day];
    const added = Array.from({ length: day === 0 ? LOADED : 5 }, () => (next += 1));
    return [...new Set([...old, ...added])].map((n) =>
      rowOf('filings', n + 1, {
        business_name: `Company ${n} of day ${day} LLC`,
        registered_agent_name: n % 5 === 0 ? null : `Agent ${(n + day) % 40}`,
        filing_date: `2025-${String((n % 12) + 1).padStart(2, '0')}-1${(n + day) % 3}`,
        source: n % 2 === 0 ? 'ohio_sos' : 'colorado_sos',
        first_seen: n < LOADED ? '2026-01-01T12:00:00Z' : seen,
        last_seen: seen,
      }),
    );
  };
  const readNews = async (day: number): Promise<void> => {
    const lines = join(folder, 'news.ndjson');
    await writeFile(
      lines,
      rowsOf(day)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    const columns = own.map(({ name, sql }) => `${literal(name)}: ${literal(sql)}`).join(', ');
    for (const sql of [
      `DELETE FROM ${news}`,
      `INSERT INTO ${news} FROM read_json(${literal(lines)}, columns = {${columns}})`,
      `DELETE FROM stored WHERE id IN (SELECT id FROM ${news})`,
      `INSERT INTO stored FROM ${news}`,
      `CREATE OR REPLACE TABLE ${newsOf('agents')} AS
         SELECT source, agent, coalesce(now.filings, 0) AS filings
         FROM (${agentsOf('stored')}) AS now FULL JOIN agents AS before USING (source, agent)
         WHERE now.filings IS DISTINCT FROM before.filings AND coalesce(now.filings, before.filings) <> 0`,
      `DELETE FROM agents USING ${newsOf('agents')} AS n WHERE n.source = agents.source AND n.agent = agents.agent`,
      `INSERT INTO agents FROM ${newsOf('agents')}`,
    ])
      await connection.run(sql);
  };
  const writePart = async (to: string, serving: Manifest['serving'] | null): Promise<Manifest['serving']> => {
    const before = serving && { folder: to, serving };
    const { kept, file } = await writeServingPart(connection, 'filings', { folder: to, before });
    if (file === null) return [...kept];
    const [path, sha256] = [join(to, file), await sha256OfFile(join(to, file))];
    const name = partName('filings', sha256, 'sqlite');
    await rename(path, join(to, name));
    return [...kept, { file: name, bytes: statSync(join(to, name)).size, sha256 }];
  };
  const openAll = (to: string, serving: Manifest['serving']): Tables =>
    new Tables(new Map(serving.map(({ file }) => [file, join(to, file)])));

  const rank = { column: 'filing_date', direction: 'DESC' } as const;
  const all = new Filters('filings');
  const FILTERS = [
    all,
    all.either({ column: 'business_name', is: 'containing', value: 'of day 3' }),
    all.either({ column: 'registered_agent_name', is: 'containing', value: 'AGENT 7' }).and('source', '=', 'ohio_sos'),
    all.and('week_day', '>=', '2026-01-10').and('filing_date', '<', '2025-09-01'),
    all.and('last_seen', '>', '2026-01-20T12:00:00Z'),
  ];
  /** All pages of 97 records. */
  const walk = async (tables: Tables, filters: Filters): Promise<readonly unknown[]> => {
    const found: Row[] = [];
    for (;;) {
      const last = found.at(-1);
      const after = last && { value: String(last['filing_date']), id: String(last['id']), isBehind: false };
      const { rows, total } = await tables.find({ filters, rank }, after, 97);
      if (rows.length === 0) return [total, ...found];
      found.push(...recordReader(tables, 'filings')(rows).map((text) => JSON.parse(`${text}}`) as Row));
    }
  };

  const counts: number[] = [];
  let serving: Manifest['serving'] | null = null;
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(close);
  for (let day = 0; day <= DAYS; day += 1) {
    await readNews(day);
    serving = await writePart(folder, serving);
    counts.push(serving.length);
    if (![1, 32, 33, 50, DAYS].includes(day)) continue;
    const tables = [openAll(folder, serving), openAll(whole, await writePart(whole, []))] as const;
    for (const filters of FILTERS) {
      const [parts, one] = [await walk(tables[0], filters), await walk(tables[1], filters)];
      assert.deepEqual(parts, one, `day ${day}`);
      assert.ok(one.length > 1 || day < 32, `day ${day}`);
    }
    for (const each of tables) each.close();
  }
  assert.deepEqual(counts.slice(0, 35), [...Array.from({ length: 33 }, (_, i) => i + 1), 2, 3]);
  assert.equal(Math.max(...counts), 33);
  assert.equal(counts.lastIndexOf(1), 65);
  const hashes = await Promise.all((serving ?? []).map(({ file }) => sha256OfFile(join(folder, file))));
  assert.deepEqual(
    hashes,
    serving?.map(({ sha256 }) => sha256),
  );
});

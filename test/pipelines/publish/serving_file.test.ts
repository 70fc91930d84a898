/** The serving files of a snapshot: the records of its tables, ready to be sold. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import { writeServingFiles } from '../../../bench/serving_files.ts';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { isObject } from '../../../lib/json.ts';
import type { RecordDefinition } from '../../../lib/record.ts';
import { literal } from '../../../lib/sql.ts';
import { INSIDE_SEPARATOR } from '../../../models/inside.ts';
import { loadMarts } from '../../../models/index.ts';
import type { Manifest } from '../../../models/manifest.ts';
import {
  COUNTED,
  isFileOf,
  packsOf,
  SERVED,
  SERVING_FILE,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from '../../../models/serving/tables.ts';
import { unpackTexts } from '../../../models/serving/text.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { memoryFolder } from '../../ledger/memory_folder.ts';
import { shownRows } from '../runs.ts';
import { afterFirstDay, FIRST_RUN } from '../starting_points.ts';

let duck: Duck;
let folder: string;
let layout: Layout;
let manifest: Manifest;
const files = new Map<string, DatabaseSync>();

before(async () => {
  ({ layout } = await afterFirstDay());
  folder = layout.snapshot(FIRST_RUN);
  manifest = await readManifest(layout, FIRST_RUN);
  duck = await openDuck();
  for (const { file } of manifest.serving) files.set(file, new DatabaseSync(join(folder, file), { readOnly: true }));
});
after(() => {
  duck.close();
  for (const file of files.values()) file.close();
});

const served = (table: TableName, sql: string): Record<string, unknown>[] =>
  [...files]
    .find(([file]) => isFileOf(table, file))?.[1]
    .prepare(sql)
    .all() ?? assert.fail(`no file of ${table}`);

const textsOf = (table: TableName): string[] =>
  SERVED[table].inParts
    ? served(table, `SELECT texts FROM ${packsOf(table)} ORDER BY pack`).flatMap(({ texts }) =>
        unpackTexts(texts as Uint8Array),
      )
    : served(table, `SELECT lines FROM ${table} ORDER BY pos`).map(({ lines }) => String(lines));

const inJson = (kind: string, value: unknown): unknown => {
  if (value === null) return null;
  if (kind === 'json') return JSON.parse(String(value));
  return kind === 'instant' ? `${String(value).slice(0, 19).replace(' ', 'T')}Z` : value;
};

/** The paths of the nulls inside an array or an object. */
function nullsIn(value: unknown, path: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, i) => (item === null ? [`${path}[${i}]`] : nullsIn(item, `${path}[${i}]`)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    item === null ? [`${path}.${key}`] : nullsIn(item, `${path}.${key}`),
  );
}

it('the serving file has every record in published order, with its values or the reason for a null', async () => {
  const orders = new Map((await loadMarts()).map(({ name, contract }) => [name, contract.publish.orderBy.join(', ')]));
  let [absent, absentInside] = [0, 0];
  for (const table of TABLE_NAMES) {
    const { columns, causes }: RecordDefinition = TABLES[table];
    const order = SERVED[table].orderBy ?? orders.get(table) ?? '';
    const rowsShown = await shownRows(layout, FIRST_RUN, table);
    const expected = await rowsOf(duck.connection, `FROM (${rowsShown}) ORDER BY ${order}`);
    const texts = textsOf(table);
    assert.equal(texts.length, expected.length, table);
    if (Object.hasOwn(SERVED[table].keys ?? {}, 'id'))
      assert.deepEqual(
        served(table, `SELECT id, pos FROM ${table} ORDER BY pos`).map(({ id, pos }) => [id, pos]),
        expected.map(({ id }, pos) => [id, pos]),
      );
    for (const [i, recordText] of texts.entries()) {
      const given = recordText.split('\n');
      const parts = given.map((line) => line.split(INSIDE_SEPARATOR));
      const values = parts.map(([line = '']) => (/^(?:!|$)/u.test(line) ? null : (JSON.parse(line) as unknown)));
      const published = columns.map(({ name, kind }) =>
        inJson(kind, name === COUNTED ? null : (expected[i]?.[name] ?? null)),
      );
      assert.deepEqual([table, i, ...values], [table, i, ...published]);
      const reasons = given.filter((line) => /^![a-z0-9_]+$/u.test(line));
      assert.equal(reasons.length, columns.filter(({ name }, at) => causes?.[name] && values[at] === null).length);
      absent += reasons.length;
      const inside = parts.flatMap(([, text]) => (text === undefined ? [] : [JSON.parse(text) as object]));
      const nulls = columns.flatMap(({ name }, at) => (causes ? nullsIn(values[at], name) : []));
      assert.deepEqual(inside.flatMap(Object.keys), nulls);
      absentInside += nulls.length;
    }
  }
  assert.ok(absent > 1000 && absentInside > 1000, `${absent} and ${absentInside}`);
});

it('the serving file has the same bytes if it is written again', async () => {
  const copy = memoryFolder('dealfeed-serving-');
  const tables = Object.values(manifest.tables).flatMap((table) => table.files);
  for (const { file } of [manifest.database, ...tables]) await cp(join(folder, file), join(copy, file));
  assert.deepEqual(await writeServingFiles(copy, manifest.database.file), manifest.serving);
});

it('more wide rows than are read at a time are in order, each once', async () => {
  const copy = memoryFolder('dealfeed-wide-rows-');
  await cp(folder, copy, { recursive: true });
  const file = literal(join(copy, 'reports.parquet'));
  const many = `SELECT * REPLACE (md5(concat(id, copy))::UUID::VARCHAR AS id) FROM ${file}, range(100) AS copies(copy)`;
  await duck.connection.run(`CREATE TABLE many AS SELECT * EXCLUDE (copy) FROM (${many}) ORDER BY id LIMIT 1500;
    COPY (FROM many ORDER BY id) TO ${file} (FORMAT parquet)`);
  await writeServingFiles(copy, manifest.database.file);
  using db = new DatabaseSync(join(copy, SERVING_FILE), { readOnly: true });
  const written = db.prepare('SELECT id FROM reports ORDER BY pos').all();
  assert.deepEqual(
    written.map(({ id }) => id),
    (await rowsOf(duck.connection, 'SELECT id FROM many ORDER BY id')).map(({ id }) => id),
  );
});

it('single rows are found by an index', () => {
  for (const table of TABLE_NAMES)
    for (const key of Object.keys(SERVED[table].keys ?? {})) {
      const [plan] = served(table, `EXPLAIN QUERY PLAN SELECT pos FROM ${table} WHERE ${key} = 'x'`);
      assert.match(
        String(plan?.['detail']),
        new RegExp(`^SEARCH .* (?:${table}_${key}|PRIMARY KEY) \\(${key}=\\?\\)$`, 'u'),
      );
    }
});

/** A table written range by range of its days: where ranges lie, and that a file brought up to date has the bytes of one written whole. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { date, defineRecord, integer, text } from '../../lib/record.ts';
import { literal } from '../../lib/sql.ts';
import { bringUpToDate } from '../../models/carried.ts';
import type { Model } from '../../models/index.ts';
import { rangesOf, writeByDay } from '../../pipelines/by_day.ts';

const NULL = { absent: 'it is not known' } as const;
const acts: Model = {
  name: 'acts', layer: 'marts', sql: '',
  contract: {
    record: defineRecord('act', 'One row per act.', ['id'], { id: text('Id.'), day: date('Its day.'), standing: text('Standing.', NULL), name: text('Name.'), same: integer('Acts of the same name.', NULL) }),
    audits: [], publish: { orderBy: ['day DESC', 'id'], byDay: 'day' },
    carries: { key: ['id'], before: 'before', lookedUp: { from: 'names', on: { name: 'name' }, columns: { same: 'acts' } } },
  },
};
const MOST = 100;
const ROWS = "SELECT 'a' || i AS id, DATE '2026-11-20' - CAST(floor(pow(i, 1.3)) AS INTEGER) AS day, if(i % 5 = 0, NULL, 'good') AS standing, 'n' || (i % 40) AS name FROM range(2000) t(i)";
const withCounts = (rows: string): string => `SELECT *, CAST(count(*) OVER (PARTITION BY name) AS INTEGER) AS same FROM (${rows})`;

const write = async (duck: Duck, folder: string, file: string, inOrder: boolean, before?: string): Promise<string> => {
  const path = join(folder, file);
  await writeByDay(duck.instance, duck.connection, { model: acts, byDay: 'day', table: 'acts', inOrder, most: MOST }, { path, scratch: `${path}.tmp`, said: { about: 'made up' } }, before);
  return path;
};

test('a range lies where its days lie, and a new row moves no other', () => {
  const counts = Array.from({ length: 800 }, (_, i) => ({ day: 700_000 + 3 * i, rows: 1 + ((i * 7) % 30) }));
  const ranges = rangesOf(counts, MOST);
  assert.ok(ranges.length > 100);
  for (const [i, { from, to, rows }] of ranges.entries()) {
    assert.equal(rows, counts.filter(({ day }) => day >= from && day < to).reduce((sum, c) => sum + c.rows, 0));
    assert.ok(rows <= MOST && from >= (ranges[i - 1]?.to ?? 0));
  }
  const [first] = counts;
  const more = rangesOf(counts.map((c) => (c === first ? { ...c, rows: c.rows + 1 } : c)), MOST);
  assert.deepEqual(more.slice(2), ranges.slice(ranges.length - more.length + 2));
  assert.deepEqual(rangesOf([{ day: 5, rows: MOST + 1 }, { day: 6, rows: 1 }], MOST), [{ from: 5, to: 6, rows: MOST + 1 }, { from: 6, to: 8, rows: 1 }]);
  assert.deepEqual(rangesOf([], MOST), []);
});

test('rows that come, go elsewhere and change give the bytes of a whole file, and what is not concerned is copied', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-by-day-'));
  const duck = await openDuck();
  const run = async (...statements: readonly string[]): Promise<void> => { for (const s of statements) await duck.connection.run(s); };
  try {
    await run(`CREATE TABLE acts AS ${withCounts(ROWS)} ORDER BY day DESC, id`, 'CREATE TABLE previous_acts AS FROM acts', 'CREATE VIEW before AS FROM previous_acts');
    const first = await write(duck, folder, 'first.parquet', true);
    const changed = `SELECT * REPLACE (if(id = 'a700', DATE '1990-01-01', day) AS day, 'fallen' AS standing) FROM (${ROWS}) WHERE id IN ('a700', 'a3', 'a1500')
      UNION ALL SELECT 'new', DATE '2026-11-21', 'good', 'n7'`;
    await run(`CREATE TABLE names AS SELECT name, CAST(count(*) AS INTEGER) + if(name = 'n7', 1, 0) AS acts FROM previous_acts GROUP BY name`);
    await bringUpToDate(duck.connection, 'acts', `SELECT c.*, names.acts AS same FROM (${changed}) c JOIN names USING (name)`, acts.contract.carries ?? assert.fail(), 'acts');
    const updated = await write(duck, folder, 'updated.parquet', false, first);
    const sum = async (file: string): Promise<unknown> => rowsOf(duck.connection, `SELECT sha256(content) AS sum FROM read_blob(${literal(file)})`);
    const whole = await sum(await write(duck, folder, 'whole.parquet', false));
    assert.deepEqual(await sum(updated), whole, 'as one that is written whole');
    await run('ALTER TABLE acts RENAME TO brought', `CREATE TABLE acts AS ${withCounts(`SELECT id, day, standing, name FROM (${ROWS}) WHERE id NOT IN ('a700', 'a3', 'a1500') UNION ALL FROM (${changed})`)} ORDER BY day DESC, id`);
    assert.deepEqual(await sum(await write(duck, folder, 'made.parquet', true)), whole, 'and as one of a table that is made whole');
    const [groups] = await rowsOf(duck.connection, `SELECT count(DISTINCT row_group_id) AS groups FROM parquet_metadata(${literal(updated)})`);
    assert.ok(Number(groups?.['groups']) > 20);
    // What is copied is not looked at: other names of a range in which no name changed are not in the file.
    await run('DROP TABLE acts', 'CREATE TABLE acts AS SELECT * REPLACE (\'unseen\' AS name) FROM brought');
    const unseen = await write(duck, folder, 'unseen.parquet', false, first);
    const [seen] = await rowsOf(duck.connection, `SELECT count(*) FILTER (WHERE name = 'unseen') AS written, count(*) AS n FROM read_parquet(${literal(unseen)})`);
    assert.ok(Number(seen?.['written']) > 0 && Number(seen?.['written']) <= 4 * MOST, `${seen?.['written']} of ${seen?.['n']} rows were written`);
  } finally {
    duck.close();
    await rm(folder, { recursive: true });
  }
});

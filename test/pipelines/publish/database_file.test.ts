/** The DuckDB file of a snapshot: views and descriptions for analysts. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { loadMarts } from '../../../models/index.ts';
import { VIEWS } from '../../../models/views.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { afterFirstDay, FIRST_RUN } from '../starting_points.ts';

let duck: Duck;
let folder: string;
let layout: Layout;
before(async () => {
  ({ layout } = await afterFirstDay());
  folder = layout.snapshot(FIRST_RUN);
  duck = await openDuck();
  await duck.connection.run(`ATTACH ${literal(`${folder}/dealfeed.duckdb`)} AS file (READ_ONLY)`);
  await duck.connection.run(`USE file; SET file_search_path = ${literal(folder)}`);
});
after(() => duck.close());

const rows = (sql: string): Promise<Record<string, unknown>[]> => rowsOf(duck.connection, sql);

it('has ids as UUIDs and instants with a zone; in Parquet an id is text', async () => {
  const typesIn = async (from: string): Promise<Record<string, unknown>> =>
    Object.fromEntries((await rows(`DESCRIBE SELECT * FROM ${from}`)).map((r) => [r['column_name'], r['column_type']]));
  const { tables } = await readManifest(layout, FIRST_RUN);
  for (const { name, contract } of await loadMarts()) {
    const [stored, parquet] = [
      await typesIn(name),
      await typesIn(`read_parquet(${literal(`${folder}/${tables[name]?.files[0]?.file ?? ''}`)})`),
    ];
    for (const { name: column, kind } of contract.record.columns) {
      const isId = /^(?:id|(?:deal|signal|auction|record|condition_record)_id)$/u.test(column);
      const type = kind === 'instant' ? 'TIMESTAMP WITH TIME ZONE' : isId ? 'UUID' : parquet[column];
      assert.deepEqual([name, column, stored[column]], [name, column, type]);
      assert.equal(parquet[column], isId ? 'VARCHAR' : type, `${name}.${column} in Parquet`);
    }
  }
});

it('has views with rows, a meaning, exact figures and instants with a zone', async () => {
  for (const { name } of VIEWS) {
    const [{ n } = {}] = await rows(`SELECT count(*) AS n FROM ${name}`);
    assert.ok(Number(n) > 10, `${name} has ${String(n)} rows`);
    const types = (await rows(`DESCRIBE ${name}`)).map((row) => row['column_type']);
    assert.ok(!types.some((type) => type === 'DOUBLE' || type === 'FLOAT' || type === 'TIMESTAMP'), types.join(', '));
    const [{ comment } = {}] = await rows(`SELECT comment FROM duckdb_views() WHERE view_name = '${name}'`);
    assert.match(String(comment), /^One row per .*made up/su);
  }
});

it('has each match once in deals_with_distress, and the first price of every listing in price_history', async () => {
  const [counts] = await rows(`SELECT
      (SELECT count(*) FROM deals_with_distress WHERE is_match) AS matched,
      (SELECT sum(json_array_length(distress_matches)) FROM deals) AS expected,
      (SELECT count(*) FROM price_history WHERE price_before IS NULL) AS first_prices,
      (SELECT count(DISTINCT (source, listing_id)) FROM listing_history WHERE list_price IS NOT NULL) AS listings,
      (SELECT count(*) FROM deals_slim) AS slim,
      (SELECT count(*) FROM price_history JOIN deals ON deals.id = deal_id
        WHERE price_history.geo_basis IS NULL OR price_history.latitude IS DISTINCT FROM deals.latitude) AS unplaced,
      (SELECT count(*) FROM deals WHERE listing_status = 'active') AS active`);
  assert.equal(String(counts?.['matched']), String(counts?.['expected']));
  assert.equal(counts?.['first_prices'], counts?.['listings']);
  assert.equal(counts?.['slim'], counts?.['active']);
  assert.equal(Number(counts?.['unplaced']), 0);
});

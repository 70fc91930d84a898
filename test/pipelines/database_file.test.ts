/** The DuckDB file of a snapshot: keys, views and descriptions for analysts. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { literal } from '../../lib/sql.ts';
import { loadModels } from '../../models/index.ts';
import { VIEWS } from '../../models/views.ts';
import { afterFirstDay, FIRST_RUN } from './starting_points.ts';

let duck: Duck;
before(async () => {
  const { layout } = await afterFirstDay();
  duck = await openDuck();
  await duck.connection.run(`ATTACH ${literal(`${layout.snapshot(FIRST_RUN)}/dealfeed.duckdb`)} AS file (READ_ONLY)`);
  await duck.connection.run('USE file');
});
after(() => duck.close());

const rows = (sql: string): Promise<Record<string, unknown>[]> => rowsOf(duck.connection, sql);

it('declares the keys of every table but the large one', async () => {
  const found = await rows(`SELECT table_name, constraint_type AS type, constraint_column_names AS columns,
    referenced_table AS target FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')`);
  const expected = (await loadModels()).flatMap(({ name, contract: { record, publish } }) =>
    publish === undefined || publish.isLarge
      ? []
      : [
          { table_name: name, type: 'PRIMARY KEY', columns: [...record.key], target: null },
          ...Object.entries(publish.references ?? {}).map(([column, target]) => ({
            table_name: name,
            type: 'FOREIGN KEY',
            columns: [column],
            target,
          })),
        ],
  );
  const sorted = (list: readonly unknown[]): string[] => list.map((row) => JSON.stringify(row)).sort();
  assert.deepEqual(sorted(found.map((row) => ({ ...row, target: row['target'] ?? null }))), sorted(expected));
  assert.ok(expected.length >= 18 && !expected.some(({ table_name }) => table_name === 'filings'));
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
      (SELECT count(*) FROM deals WHERE listing_status = 'active') AS active`);
  assert.equal(String(counts?.['matched']), String(counts?.['expected']));
  assert.equal(counts?.['first_prices'], counts?.['listings']);
  assert.equal(counts?.['slim'], counts?.['active']);
});

/**
 * The Iceberg tables of two published days, read by an engine that is not ours: ClickHouse, embedded (chdb). It has
 * 546 MB, so it is no dependency; without it, this proof is skipped. To install it:
 *   npm install --prefix node_modules/.cache/chdb --no-save --no-package-lock chdb@3.4.0
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { identifier, literal } from '../../../lib/sql.ts';
import { rowsOfFiles } from '../../../lib/stored_types.ts';
import { loadMarts, type Mart } from '../../../models/index.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { snapshotIdOf } from '../../../pipelines/open_tables/table.ts';
import { writeOpenTables } from '../../../pipelines/open_tables/table.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../starting_points.ts';

const CHDB = new URL('../../../node_modules/.cache/chdb/', import.meta.url);
const skip = existsSync(CHDB) ? false : 'chdb is not installed';

let layout: Layout;
let query: (sql: string, format: string) => string;

/** Rows, distinct keys, and the sum of every number: the same in both dialects. */
const figuresOf = ({ contract: { record } }: Mart): string => {
  const numbers = record.columns.filter((c) => /^(?:DECIMAL|INTEGER)/u.test(c.sql));
  const keys = record.key.map((k) => `count(DISTINCT ${identifier(k)})`);
  const sums = numbers.map(({ name }) => `sum(${identifier(name)})`);
  return ['count(*)', ...keys, ...sums].join(', ');
};

describe('ClickHouse reads the open tables', { skip }, () => {
  before(async () => {
    ({ query } = createRequire(CHDB)('chdb') as { query: typeof query });
    ({ layout } = await afterSecondDay());
    await writeOpenTables(layout);
    // It reads files below its working folder only.
    process.chdir(layout.root);
  });

  for (const runId of [FIRST_RUN, SECOND_RUN])
    test(`as they were on ${runId}: every table, count and sum as in the Parquet files`, async () => {
      const duck = await openDuck();
      const { tables } = await readManifest(layout, runId);
      for (const model of await loadMarts()) {
        const figures = figuresOf(model);
        const paths = (tables[model.name]?.files ?? []).map(({ file }) => join(layout.snapshot(runId), file));
        const rows = rowsOfFiles(paths, model.contract.record.key);
        const [ours] = await rowsOf(duck.connection, `SELECT ${figures} FROM ${rows}`);
        const theirs = query(
          `SELECT ${figures} FROM icebergLocal(${literal(join(layout.iceberg, model.name))})
            SETTINGS iceberg_snapshot_id = ${snapshotIdOf(runId)}`,
          'JSONCompactEachRow',
        );
        const plain = (value: unknown): string => (value === null ? 'null' : String(Number(String(value))));
        assert.deepEqual(
          (JSON.parse(theirs) as unknown[]).map(plain),
          Object.values(ours ?? {}).map(plain),
          model.name,
        );
      }
      duck.close();
    });

  test('as they are today, without a snapshot named', async () => {
    const { tables } = await readManifest(layout, SECOND_RUN);
    const count = query(`SELECT count() FROM icebergLocal(${literal(join(layout.iceberg, 'deals'))})`, 'TSV');
    assert.equal(Number(count), tables['deals']?.rows);
  });
});

/** Rows too wide to be joined or sorted at once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closing } from '../../../lib/closing.ts';
import { rowsOf } from '../../../lib/duck.ts';
import { defineRecord, integer, text } from '../../../lib/record.ts';
import { buildModels } from '../../../models/build.ts';
import type { Mart, Model } from '../../../models/index.ts';
import { openBuildDatabase } from '../../../pipelines/run/build_database.ts';
import { sortTable } from '../../../pipelines/run/publish.ts';
import { newLayout } from '../runs.ts';

const WIDE: Mart = {
  name: 'wide',
  layer: 'marts',
  path: 'models/marts/wide.sql',
  sql: "SELECT id, score, getvariable('slice_start') AS slice FROM int_properties WHERE in_slice(id)",
  audits: [],
  contract: {
    record: defineRecord('wide', 'One row per property.', ['id'], {
      id: text('Its id.'),
      score: integer('Its score.'),
      slice: text('Where its slice starts.'),
    }),
    audits: [],
    publish: { orderBy: ['score DESC', 'id'] },
  },
};

/** Is written for as long as the slices are. */
const BESIDE: Model = {
  name: 'beside',
  layer: 'intermediate',
  path: 'models/intermediate/beside.sql',
  sql: 'SELECT md5(range::VARCHAR) AS id FROM range(3000000)',
  audits: [],
};

it('a table of wide rows is built in slices by id, and published with each row once, in its order', async () => {
  const { root } = await newLayout();
  await using build = closing(await openBuildDatabase(root, '500MB'));
  const { connection } = build;
  const rows = 'SELECT md5(range::VARCHAR) AS id, (range % 100)::INTEGER AS score FROM range(45000)';
  await connection.run(`CREATE TABLE int_properties AS ${rows}`);
  const inOrder = async (order: string): Promise<Record<string, unknown>> => {
    const before = `row_number() OVER (ORDER BY ${order}) AS place, row_number() OVER (ORDER BY rowid) AS found`;
    const [row] = await rowsOf(
      connection,
      `SELECT count(*) AS n, count(DISTINCT id) AS ids, count(DISTINCT slice) AS slices,
        bool_and(place = found) AS sorted
      FROM (SELECT *, ${before} FROM ${order === 'id' ? '' : 'published.main.'}wide)`,
    );
    return row ?? assert.fail();
  };
  await buildModels(connection, [WIDE, BESIDE], { second: build.second });
  const whole = { n: '45000', ids: '45000', slices: '15', sorted: true };
  assert.deepEqual(await inOrder('id'), whole);
  await sortTable(connection, WIDE);
  assert.deepEqual(await inOrder('score DESC, id'), whole);
  assert.deepEqual(await rowsOf(connection, "SELECT getvariable('slice_start') AS left, count(*) AS n FROM wide"), [
    { left: null, n: '45000' },
  ]);
});

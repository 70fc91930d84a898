/** `make sql`: the result of a query for people and programs, and a snapshot that can only be read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openSnapshot, type OpenSnapshot } from '../../../pipelines/analyse/open_snapshot.ts';
import { formatLines, formatTable } from '../../../pipelines/analyse/query.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { runHere, type Ended } from '../../support/run_here.ts';
import { BARE } from '../../environment.ts';
import { afterFirstDay } from '../starting_points.ts';

const root = new URL('../../../', import.meta.url).pathname;

test('a result is a table, on a narrow screen a list of its rows, or CSV or JSON', () => {
  const found = {
    columns: ['name', 'n', 'note'],
    rows: [
      ['a, "b"', '1.50', null],
      ['c', '20.00', 'x\ny'],
    ],
    hasMore: false,
  };
  assert.deepEqual(formatTable(found), [
    '  name        n  note',
    '  a, "b"   1.50  ·',
    '  c       20.00  x y',
    '2 rows',
  ]);
  assert.deepEqual(formatTable(found, 18).slice(0, 4), ['  name  a, "b"', '  n     1.50', '  note  ·', '']);
  assert.deepEqual(formatLines(found, 'csv'), ['name,n,note', '"a, ""b""",1.50,', 'c,20.00,"x\ny"']);
  assert.deepEqual(
    formatLines(found, 'json').map((l) => JSON.parse(l) as unknown),
    [
      { name: 'a, "b"', n: '1.50', note: null },
      { name: 'c', n: '20.00', note: 'x\ny' },
    ],
  );
});

describe('over a snapshot', () => {
  let layout: Layout;
  let opened: OpenSnapshot;
  before(async () => {
    ({ layout } = await afterFirstDay());
    opened = await openSnapshot(layout.root);
  });
  after(() => {
    opened.duck.close();
  });
  const ask = (env: Record<string, string>): Promise<Ended> =>
    runHere(join(root, 'pipelines/analyse/cli.ts'), { args: ['sql'], env: { ...BARE, DATA_DIR: layout.root, ...env } });

  test('every table and column has a comment with its meaning', async () => {
    for (const kind of ['tables', 'views', 'columns']) {
      const rows = (
        await opened.duck.connection.runAndReadAll(
          `SELECT * FROM duckdb_${kind}()
          WHERE database_name = 'snapshot' AND NOT internal AND coalesce(length(comment), 0) < 5`,
        )
      ).getRowsJson();
      assert.deepEqual(rows, []);
    }
  });

  test('every table has all its rows, also those that are read from Parquet files', async () => {
    for (const [table, { rows }] of Object.entries(opened.manifest.tables)) {
      const read = await opened.duck.connection.runAndReadAll(`SELECT count(COLUMNS(*))::INTEGER FROM ${table}`);
      assert.ok(read.getRowsJson()[0]?.includes(rows), table);
    }
  });

  test('it can only be read: no write, no file, no setting', async () => {
    const refused = [
      'CREATE TABLE x AS SELECT 1',
      'DELETE FROM deals',
      "COPY deals TO '/tmp/x.csv'",
      "SELECT * FROM read_csv('/etc/passwd')",
      "ATTACH '/tmp/x.duckdb'",
      'SET enable_external_access = true',
      'INSTALL httpfs',
    ];
    for (const sql of refused) await assert.rejects(opened.duck.connection.run(sql), sql);
  });

  test('Q runs one query, for people or programs', async () => {
    assert.equal((await ask({ Q: 'SELECT 1 AS one', FORMAT: 'csv' })).out, 'one\n1\n');
    const wrong = await ask({ Q: 'FROM nothing' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /\bnothing\b/);
    await assert.rejects(openSnapshot(layout.root, '2020-01-01'), {
      name: 'SettingError',
      message: /^SNAPSHOT is "2020-01-01", .*\b2026-11-20\.01$/,
    });
  });

  test('without Q it prints the command of the DuckDB shell, and every table and view', async () => {
    const { code, out } = await ask({});
    assert.equal(code, 0);
    assert.ok(out.includes(`cd ${layout.snapshot(opened.manifest.run_id)} && duckdb -readonly dealfeed.duckdb\n`), out);
    for (const name of [...Object.keys(opened.manifest.tables), 'deals_with_distress'])
      assert.match(out, new RegExp(`^ +${name} `, 'mu'));
  });
});

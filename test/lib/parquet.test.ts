/** Parquet files laid end to end hold the rows of all of them, and every reader finds them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { sha256OfFile } from '../../lib/files.ts';
import { layEndToEnd, StandingFile } from '../../lib/parquet.ts';
import { literal } from '../../lib/sql.ts';

let folder = '';
let duck: Duck;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealfeed-parquet-'));
  duck = await openDuck();
});
after(async () => {
  duck.close();
  await rm(folder, { recursive: true });
});

/** Rows of many kinds: few and many values, nulls, decimals, lists, text of more than one byte a letter. */
const ROWS = (from: number, to: number): string => `SELECT i, i % 7 AS few, CASE WHEN i % 3 = 0 THEN NULL ELSE 'Ñ ' || hash(i) END AS text, CAST(i / 8 AS DECIMAL(14,2)) AS money,
  DATE '2026-01-01' + CAST(i % 400 AS INTEGER) AS day, TIMESTAMP '2026-11-20 12:00:00' AS seen, i % 2 = 0 AS flag, [i, NULL, i + 1] AS list, CAST(NULL AS VARCHAR) AS blank FROM range(${from}, ${to}) t(i)`;

async function write(name: string, select: string, options = ''): Promise<string> {
  const file = join(folder, name);
  await duck.connection.run(`COPY (${select}) TO ${literal(file)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 4096, KV_METADATA {notice: 'made up'}${options})`);
  return file;
}

test('rows, their order, row groups, statistics and metadata are those of the parts', async () => {
  const parts = [await write('a.parquet', ROWS(0, 20_000)), await write('none.parquet', ROWS(0, 0)), await write('b.parquet', ROWS(20_000, 20_001)), await write('c.parquet', ROWS(20_001, 90_000))];
  const target = join(folder, 'all.parquet');
  const laid = await layEndToEnd(target, parts);
  assert.equal(laid.rows, 90_000);
  assert.equal(laid.sha256, await sha256OfFile(target));
  const [same] = await rowsOf(duck.connection, `SELECT count(*) AS n, count(*) FILTER (WHERE file_row_number <> i) AS moved,
    bit_xor(hash(i, few, text, money, day, seen, flag, list, blank)) = (SELECT bit_xor(hash(i, few, text, money, day, seen, flag, list, blank)) FROM (${ROWS(0, 90_000)})) AS equal
    FROM read_parquet(${literal(target)}, file_row_number = true)`);
  assert.deepEqual(same, { n: '90000', moved: '0', equal: true });
  for (const condition of ['i = 20000', "day = DATE '2026-03-01'", "text = 'Ñ ' || hash(20000)", 'few = 3']) {
    assert.deepEqual(await rowsOf(duck.connection, `SELECT count(*) AS n FROM read_parquet(${literal(target)}) WHERE ${condition}`),
      await rowsOf(duck.connection, `SELECT count(*) AS n FROM (${ROWS(0, 90_000)}) WHERE ${condition}`), `found by statistics and filters: ${condition}`);
  }
  const [groups] = await rowsOf(duck.connection, `SELECT count(DISTINCT row_group_id) AS groups, max(row_group_id) AS last, sum(num_values) FILTER (WHERE path_in_schema = 'i') AS ids FROM parquet_metadata(${literal(target)})`);
  assert.deepEqual(groups, { groups: '24', last: '23', ids: '90000' });
  assert.equal((await rowsOf(duck.connection, `SELECT CAST(value AS VARCHAR) AS value FROM parquet_kv_metadata(${literal(target)})`))[0]?.['value'], 'made up');
});

test('one file comes out as it went in', async () => {
  const file = await write('one.parquet', ROWS(0, 5000));
  assert.equal((await layEndToEnd(join(folder, 'again.parquet'), [file])).sha256, await sha256OfFile(file));
});

test('a file of which some columns are new has the bytes of one that is written whole', async () => {
  const changed = `SELECT * REPLACE (few + 1 AS few, CASE WHEN i = 5 THEN 'other' ELSE text END AS text, i % 3 = 0 AS flag) FROM (${ROWS(0, 20_000)})`;
  const [old, whole] = [await write('before.parquet', ROWS(0, 20_000)), await write('after.parquet', changed)];
  const newer = await write('newer.parquet', `SELECT flag, few, text FROM (${changed})`);
  const standing = await StandingFile.open(old);
  try {
    const { sha256 } = await layEndToEnd(join(folder, 'renewed.parquet'), [{ of: standing, groups: [0, 1, 2, 3, 4], newer }]);
    assert.equal(sha256, await sha256OfFile(whole));
    assert.equal((await layEndToEnd(join(folder, 'kept.parquet'), [{ of: standing, groups: [0, 1, 2, 3, 4] }])).sha256, await sha256OfFile(old));
    assert.ok(await standing.isAlike(whole));
    assert.ok(!(await standing.isAlike(newer)));
    const shorter = await write('shorter.parquet', `SELECT few FROM (${ROWS(0, 19_999)})`);
    await assert.rejects(layEndToEnd(join(folder, 'x.parquet'), [{ of: standing, groups: [0, 1, 2, 3, 4], newer: shorter }]), /row groups of/u);
    const otherType = await write('other_type.parquet', `SELECT CAST(few AS VARCHAR) AS few FROM (${ROWS(0, 20_000)})`);
    await assert.rejects(layEndToEnd(join(folder, 'x.parquet'), [{ of: standing, groups: [0, 1, 2, 3, 4], newer: otherType }]), /column few that is not as in/u);
  } finally { await standing.close(); }
});

test('what is not a Parquet file, or has other columns, is refused and named', async () => {
  const file = await write('good.parquet', ROWS(0, 10));
  const other = await write('other.parquet', 'SELECT 1 AS i');
  const broken = join(folder, 'broken.parquet');
  await writeFile(broken, 'PAR1 no PAR1');
  await assert.rejects(layEndToEnd(join(folder, 'x.parquet'), [file, other]), /other\.parquet has other columns/u);
  await assert.rejects(layEndToEnd(join(folder, 'x.parquet'), [broken]), /broken\.parquet is not a whole Parquet file/u);
  await assert.rejects(layEndToEnd(join(folder, 'x.parquet'), []), /no Parquet file/u);
});

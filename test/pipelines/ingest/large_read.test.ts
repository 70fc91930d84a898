/** A read of several batches, in a database of its own: the counts add up and every row is traceable. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { checkedRows } from '../../../pipelines/ingest/stage/check_rows.ts';
import { readPage } from '../../../pipelines/ingest/reads.ts';
import { stageRead, type Staged, type StagedRead } from '../../../pipelines/ingest/stage/stage.ts';
import type { Page } from '../../../sources/contract.ts';
import colorado from '../../../sources/register/colorado_sos/source.ts';
import { pageOf } from '../../sources/recorded.ts';
import { exportId, exportRecords } from './large_export.ts';

/** More than 16 MB: a database of its own. */
const RECORDS = 11_600;
const OBSERVED = '2026-11-20T12:00:00Z';
const id = exportId;

function exportOf(records: readonly string[]): Page {
  return pageOf(Buffer.from(records.join('\n')), { kind: 'export', url: 'file:///drop/colorado_sos/export.csv' });
}

async function stage<T>(folder: string, page: Page, use: (read: StagedRead) => Promise<T>): Promise<T> {
  const target = join(folder, 'colorado.parquet');
  const toStage = { spec: colorado, pages: [readPage(page)], unreadable: [], observedAt: OBSERVED, target };
  const read = await stageRead(toStage);
  try {
    return await use(read);
  } finally {
    await read.close();
  }
}

test('every record of a large export is a staged row, a reject or a merged duplicate', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-large-read-'));
  t.after(() => rm(folder, { recursive: true }));
  const page = exportOf(exportRecords(RECORDS));
  assert.ok(page.bytes.length > 16_000_000);
  const write = async (read: StagedRead): Promise<Staged & Pick<StagedRead, 'rejects'>> => ({
    ...(await read.write(undefined)),
    rejects: read.rejects,
  });
  const { counts, rejects } = await stage(folder, page, write);
  const [refused, repeated] = [RECORDS / 100, RECORDS / 200];
  assert.deepEqual(counts, {
    rows_in: RECORDS,
    rows_out: RECORDS - refused - repeated,
    rows_rejected: refused,
    rows_merged: repeated,
    rows_carried: 0,
  });
  assert.deepEqual(
    rejects.map(({ page_row, raw }) => [page_row, raw]),
    Array.from({ length: refused }, (_, n) => [n * 100 + 50, `${id(n * 100 + 50)},SHORT LLC`]),
  );
  assert.deepEqual(await readdir(folder), ['colorado.parquet'], 'no temporary file is left');

  const duck = await openDuck();
  t.after(() => duck.close());
  const staged = `read_parquet(${literal(join(folder, 'colorado.parquet'))}, file_row_number = true)`;
  const [found] = await rowsOf(
    duck.connection,
    `SELECT count(DISTINCT document_number) AS ids,
      count_if(business_name_raw NOT LIKE 'Business, ' || page_row || ' of %') AS other_row,
      count_if(document_number <> CAST(20260000000 + page_row AS VARCHAR)) AS later_version,
      count_if(page_sha256 <> ${literal(page.sha256)}) AS other_page
    FROM ${staged}`,
  );
  assert.deepEqual(found, {
    ids: String(counts.rows_out),
    other_row: '0',
    later_version: String(repeated),
    other_page: '0',
  });
  const [unsorted] = await rowsOf(
    duck.connection,
    `SELECT count(*) AS n FROM (
      SELECT document_number < lag(document_number) OVER (ORDER BY file_row_number) AS is_less FROM ${staged}
    ) WHERE is_less`,
  );
  assert.equal(unsorted?.['n'], '0', 'sorted by key');
});

test('a large export with a fault near its end leaves no file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-large-read-'));
  t.after(() => rm(folder, { recursive: true }));
  const withFault = (records: readonly string[]): Page => exportOf(records.with(records.length - 10, 'Den"ver'));
  // Two batches of short records.
  const page = withFault(exportRecords(RECORDS).map((record) => record.replaceAll(' of the county', '')));
  await assert.rejects(
    stage(folder, page, () => assert.fail('no row may be used')),
    /not a CSV file: cell 1 has a quote mark inside, in the record at line 11592/u,
  );
  assert.deepEqual(await readdir(folder), []);
});

test('a page of many rows gives timers and other reads a turn while it is checked', async () => {
  const refused = Array.from({ length: 5000 }, () => ({
    reject: { reason: 'blank_name', detail: 'no name' },
    raw: 'a',
  }));
  const page = pageOf(Buffer.from('a'), { kind: 'export', url: 'file:///drop/colorado_sos/export.csv' });
  let turns = 0;
  const next = (): void => {
    turns += 1;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const rows = (await Array.fromAsync(checkedRows({ ...colorado, parse: () => refused }, [page]))).flat();
  clearImmediate(immediate);
  assert.equal(rows.length, 5000);
  assert.ok(turns >= 5, `${turns} turns`);
});

/** A read with far fewer rows than the last good one is quarantined, and the last good rows stay. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { defineRecord, text } from '../../lib/record.ts';
import { sandboxClock } from '../../pipelines/clock.ts';
import { ingest } from '../../pipelines/ingest/ingest.ts';
import { standingRead, type ReadRecord } from '../../pipelines/ingest/reads.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { defineSource, type SourceSpec } from '../../sources/contract.ts';
import { openArchive } from '../../lib/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { findSources } from '../../sources/index.ts';
import { serve } from '../fetch/site.ts';

const Parcel = defineRecord('parcel_number', 'One row per parcel.', ['parcel'], { parcel: text('Parcel.') });

const specAt = (origin: string, reads: SourceSpec['reads']): SourceSpec =>
  defineSource({
    name: 'test_parcels',
    family: 'tax',
    title: 'Parcels',
    home: origin,
    everyDays: 1,
    hosts: [new URL(origin).host],
    terms: { basis: 'sandbox_only', note: 'Made up for this test.' },
    politeness: { minIntervalMs: 0, concurrency: 1 },
    row: Parcel,
    reads: reads ?? 'replace',
    expect: { minRows: 1, maxRejectShare: 0, maxDropShare: 0.4 },
    async *fetch(ctx) {
      yield await ctx.get(`${origin}/list`, { kind: 'list' });
    },
    parse: (page) =>
      page
        .text()
        .split('\n')
        .map((parcel) => ({ values: { parcel }, raw: parcel })),
  });

/** Read the source on consecutive days, on which its list has these numbers of rows. */
async function readDays(
  t: TestContext,
  rowsByDay: readonly number[],
  reads: SourceSpec['reads'],
): Promise<{ records: ReadRecord[]; standing: ReadRecord | undefined }> {
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-drop-share-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const layout = layoutOf(folder);
  const archive = await openArchive(layout.root);
  let rows = 0;
  const site = await serve(t, {
    '/list': (_, response) => {
      response.end(Array.from({ length: rows }, (__, i) => `P${i}`).join('\n'));
    },
  });
  const records: ReadRecord[] = [];
  for (const [index, count] of rowsByDay.entries()) {
    rows = count;
    const clock = sandboxClock(`2026-11-${20 + index}`);
    const fetcher = createFetcher({ archive, clock, limits: { retries: 0 } });
    t.after(() => fetcher.close());
    const run = { layout, archive, fetcher, clock, runId: `${clock.asOf}.01` };
    const record = await ingest(run, specAt(site.origin, reads), { lastGoodOn: null });
    records.push(record ?? assert.fail('nothing was read'));
  }
  return { records, standing: (await standingRead(layout, 'test_parcels', '2026-11-29')) ?? undefined };
}

/** Rows of each day; what becomes of them; the rows that stand at the end. */
const CASES: readonly (readonly [title: string, rows: readonly number[], statuses: string, standing: number])[] = [
  ['a drop to the allowed share is good', [100, 60], 'good good', 60],
  ['one row fewer is quarantined, and the last good rows stay', [100, 59], 'good row_count_dropped', 100],
  [
    'rows are compared with the last good read, not with a quarantined one',
    [100, 59, 40, 90],
    'good row_count_dropped row_count_dropped good',
    90,
  ],
  ['a register that sends only changes may send fewer', [100, 5], 'good good', 5],
];
for (const [title, rows, statuses, rowsOut] of CASES)
  test(title, async (t) => {
    const { records, standing } = await readDays(t, rows, title.startsWith('a register') ? 'increments' : 'replace');
    assert.equal(records.map(({ status, reason }) => reason ?? status).join(' '), statuses);
    assert.equal(standing?.counts.rows_out, rowsOut);
  });

test('every adapter that replaces its rows limits their drop, but for what the operator may take back', async () => {
  const unlimited = (await findSources())
    .filter(
      ({ spec }) => spec.reads !== 'increments' && spec.family !== 'corrections' && !(spec.expect.maxDropShare < 1),
    )
    .map(({ spec }) => spec.name);
  assert.deepEqual(unlimited, []);
});

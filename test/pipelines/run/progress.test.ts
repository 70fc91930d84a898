/** What a run shows while it works: one line for each family and step, and how far a long one is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineProgress, type Progress } from '../../../pipelines/progress.ts';
import type { ReadRecord } from '../../../pipelines/ingest/reads.ts';
import { loadSources } from '../../../sources/index.ts';
import '../../environment.ts';

const all = await loadSources();
const named = (name: string) => all.find((s) => s.name === name) ?? assert.fail(`no source ${name}`);
const [stark, summit, rents] = [named('oh_stark_tax'), named('oh_summit_tax'), named('hud_fmr')];

const readOf = (source: string, rowsIn: number, status: ReadRecord['status'] = 'good'): ReadRecord => ({
  source,
  run_id: '2026-11-20.01',
  as_of: '2026-11-20',
  status,
  reason: null,
  detail: null,
  page_url: null,
  observed_at: '2026-11-20T12:00:00.000Z',
  counts: { rows_in: rowsIn, rows_out: rowsIn, rows_rejected: 0, rows_merged: 0, rows_carried: 0 },
  traffic: { requests: 40, not_modified: 0, bytes: 1000, retries: 0 },
  pages: [],
  dropped_files: [],
  stated: null,
  columns: null,
  rejects: [],
  parquet: null,
});

/** A run that reads three sources, then builds. @param wait lets time pass, in ms */
function report(progress: Progress, wait: (ms: number) => void): void {
  progress.reading([stark, summit, rents], 87);
  for (const spec of [stark, summit, rents]) progress.started(spec);
  wait(2000);
  progress.ended({ spec: stark, read: readOf('oh_stark_tax', 612) });
  progress.ended({ spec: rents, read: null });
  wait(2000);
  progress.ended({ spec: summit, read: readOf('oh_summit_tax', 0, 'unavailable') });
  progress.step({ name: 'models', about: 'building models without 5 sold leads', parts: 2 });
  progress.part('stg_tax');
  progress.part('deals');
  progress.step({ name: 'publish', about: 'publishing' });
  progress.done();
}

/** A run within a long statement of its second of four models. */
function reportLongModel(progress: Progress, wait: (ms: number) => void): void {
  progress.step({ name: 'models', about: 'building models', parts: 4, shareOfPart: () => 0.429 });
  progress.part('stg_tax');
  progress.part('filings');
  wait(31_000);
}

test('a log has one line for each family when it is done, and one for each step', () => {
  let now = 0;
  const lines: string[] = [];
  report(
    lineProgress(
      (line) => lines.push(line),
      () => now,
    ),
    (ms) => {
      now += ms;
    },
  );
  assert.deepEqual(lines, [
    'reading 3 sources; 87 others keep their rows',
    '  fmr         1 of 1 source          0 rows    2 s  1 waiting for a file  0 requests',
    '  tax         2 of 2 sources       612 rows    4 s  1 failed  80 requests',
    'building models without 5 sold leads',
    'publishing',
  ]);
});

test('a long step shows its parts done, and how far the one in progress is', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  const lines: string[] = [];
  const log = lineProgress(
    (line) => lines.push(line),
    () => now,
  );
  const wait = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  reportLongModel(log, wait);
  log.done();
  assert.deepEqual(lines, ['building models', '  after 31 s: building models: 2 of 4 filings 42 %']);
  lines.length = now = 0;
  const queued = lineProgress(
    (line) => lines.push(line),
    () => now,
  );
  queued.reading([stark, rents], 0);
  queued.ended({ spec: rents, read: null });
  wait(31_000);
  queued.done();
  assert.equal(lines.at(-1), '  after 31 s: 1 of 2 sources read', 'while nobody reads');
});

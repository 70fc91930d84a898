/** What a run shows while it works: one line for each family and step, and how far a long one is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineProgress } from '../../../pipelines/progress.ts';
import type { ReadRecord } from '../../../pipelines/ingest/reads.ts';
import { loadSources } from '../../../sources/index.ts';
import '../../environment.ts';

const all = await loadSources();
const named = (name: string) => all.find((s) => s.name === name) ?? assert.fail(`no source ${name}`);
const [stark, summit, rents] = [named('oh_stark_tax'), named('oh_summit_tax'), named('hud_fmr')];

const readOf = (source: string, rows_in: number, status = 'good'): ReadRecord =>
  ({ source, status, counts: { rows_in }, traffic: { requests: 40 } }) as unknown as ReadRecord;

test('a log has one line for each family when it is done, and one for each step', () => {
  let now = 0;
  const lines: string[] = [];
  const log = lineProgress(
    (line) => lines.push(line),
    () => now,
  );
  log.reading([stark, summit, rents], 87);
  for (const spec of [stark, summit, rents]) log.started(spec);
  now = 2000;
  log.ended({ spec: stark, read: readOf('oh_stark_tax', 612) });
  log.ended({ spec: rents, read: null });
  now = 4000;
  log.ended({ spec: summit, read: readOf('oh_summit_tax', 0, 'unavailable') });
  log.step({ name: 'models', about: 'building models without 5 sold leads', parts: 2 });
  for (const name of ['stg_tax', 'deals']) log.part(name);
  log.step({ name: 'publish', about: 'publishing' });
  log.done();
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
  log.step({ name: 'models', about: 'building models', parts: 4, shareOfPart: () => 0.429 });
  for (const name of ['stg_tax', 'filings']) log.part(name);
  wait(31_000);
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

/** The forecast of the disk: it continues the last runs, prunes as the schedule does, and names the day it is full. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSettings } from '../../lib/settings.ts';
import { layoutOf, runIdOf } from '../../pipelines/layout.ts';
import { diskProblems, computeForecast, type DiskState } from '../../pipelines/operate/forecast.ts';
import { policyOf } from '../../pipelines/operate/retention/prune.ts';
import { retentionSettings } from '../../pipelines/operate/settings.ts';

const MB = 1_000_000;
const TODAY = '2026-11-20';
const snapshot = { files: { KEEP_DATABASE_DAYS: 20 * MB, KEEP_FILINGS_DAYS: MB }, others: 3 * MB };
const policy = policyOf(readSettings(retentionSettings, {}));
const state = (changes: Partial<DiskState>): DiskState => ({
  today: TODAY,
  snapshots: new Map([[runIdOf(TODAY, 1), snapshot]]),
  snapshotsPerDay: 1,
  readBytesPerDay: 2 * MB,
  freeBytes: 1_000_000 * MB,
  policy: null,
  ...changes,
});

describe('a folder with a snapshot and 2 MB of pages a day', () => {
  test('grows by all of it if nothing prunes it', () => {
    const { growth_in_30_days: growth, full_on: fullOn, is_pruned: isPruned } = computeForecast(state({}));
    assert.deepEqual([growth, fullOn, isPruned], [30 * (24 + 2) * MB, null, false]);
  });

  test('grows only by the tables if the schedule prunes it', () => {
    // After 30 days: three DuckDB files, the filings of 14 days and of today, and those of 30 November.
    const growth = (3 - 1) * 20 * MB + (15 + 1 - 1) * MB + 30 * 3 * MB + 30 * 2 * MB;
    assert.equal(computeForecast(state({ policy })).growth_in_30_days, growth);
  });

  test('is full on the first day on which the growth exceeds the free space', () => {
    assert.equal(computeForecast(state({ freeBytes: 10 * 26 * MB })).full_on, '2026-12-01');
    assert.equal(computeForecast(state({ freeBytes: 10 * 26 * MB - 1 })).full_on, '2026-11-30');
  });

  test('has as many snapshots a day as in the last runs', () => {
    const noPages = { readBytesPerDay: 0 };
    for (const [snapshotsPerDay, count] of [
      [0.5, 15],
      [2.5, 75],
      [0, 0],
    ] as const)
      assert.equal(computeForecast(state({ snapshotsPerDay, ...noPages })).growth_in_30_days, count * 24 * MB);
  });
});

test('a disk that will be full within 30 days is a problem with advice', () => {
  const layout = layoutOf('data-live');
  const forecast = { growth_in_30_days: 1, free: 1, full_on: '2026-12-20', is_pruned: true };
  const [found] = diskProblems(layout, forecast, TODAY);
  assert.deepEqual([found?.kind, found?.level], ['disk_fills', 'warning']);
  assert.match(found?.message ?? '', /full on 2026-12-20.*lower the KEEP_ settings, or add space/);
  assert.match(
    diskProblems(layout, { ...forecast, is_pruned: false }, TODAY)[0]?.message ?? '',
    /nothing prunes this folder: install the schedule/,
  );
  for (const fullOn of ['2026-12-21', null])
    assert.deepEqual(diskProblems(layout, { ...forecast, full_on: fullOn }, TODAY), []);
  assert.deepEqual(diskProblems(layout, null, TODAY), []);
});

/** Files that an office posts at an address, and lists that are there in a part of the year only. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { dueByCadence } from '../../pipelines/run/read_sources.ts';
import { formatSources } from '../../pipelines/commands/status.ts';
import { sourceHealth, sourceProblems } from '../../pipelines/operate/problems.ts';
import { judgeSource } from '../../pipelines/ingest/source_state.ts';
import { isInSeason, nextInSeason } from '../../sources/days.ts';
import shelby from '../../sources/tax/tn_shelby_tax_sale.ts';
import { sourceNamed } from './parsed.ts';

const duval = sourceNamed('fl_duval_certificates');

const never = (asOf: string): ReturnType<typeof judgeSource> =>
  judgeSource(duval, { read: undefined, reads: [], isFetched: true, resale: 'unknown', asOf, inSandbox: false });

test('certificates are due from 15 April to 1 June, weekly, and on no other day', () => {
  const isDue = (asOf: string, lastGoodOn: string | null): boolean => dueByCadence(asOf)(duval, lastGoodOn);
  assert.deepEqual(
    ['2026-04-14', '2026-04-15', '2026-06-01', '2026-06-02'].map((day) => isDue(day, null)),
    [false, true, true, false],
  );
  assert.deepEqual([isDue('2026-05-06', '2026-05-01'), isDue('2026-05-08', '2026-05-01')], [false, true]);
  assert.equal(dueByCadence('2026-11-20')(shelby, null), true, 'a source without a season is due on any day');
});

test('outside the season a list that was never read is no problem, and one that was read is not late', () => {
  const { row } = never('2026-11-20');
  assert.deepEqual([row.status, row.reason], ['never_read', 'out_of_season']);
  assert.equal(never('2026-05-01').row.reason, null);
  const health = (read: Partial<typeof row>) =>
    sourceHealth({ ...row, ...read } as unknown as Parameters<typeof sourceHealth>[0], duval, '2026-11-20');
  const waiting = health({});
  assert.deepEqual([waiting.group, waiting.state, waiting.next_due], ['out_of_season', 'out of season', '2027-04-15']);
  assert.deepEqual(sourceProblems(waiting), []);
  const screen = formatSources([waiting, { ...waiting, source: 'fl_pasco_certificates' }], false);
  assert.match(screen.join('\n'), /\n {2}distress \(2\) +out of season +never +- +366 d +0 +0 +- +2027-04-15/u);
  const read = health({ status: 'not_due', reason: null, last_good_at: '2026-05-29T12:00:00Z' });
  assert.deepEqual([read.group, read.next_due], ['fresh', '2027-04-15']);
});

test('the next day of a season is the day itself, or the first of this or the next year', () => {
  const season = { from: '04-15', to: '06-01' };
  assert.deepEqual(
    ['2026-01-02', '2026-05-01', '2026-06-02'].map((day) => nextInSeason(season, day)),
    ['2026-04-15', '2026-05-01', '2027-04-15'],
  );
  assert.equal(isInSeason(undefined, '2026-11-20'), true);
});

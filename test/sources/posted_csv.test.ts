/** Files that an office posts at an address, and lists that are there in a part of the year only. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { dueByCadence } from '../../pipelines/run/read_sources.ts';
import { formatSources } from '../../pipelines/commands/status.ts';
import { sourceHealth, sourceProblems } from '../../pipelines/operate/problems.ts';
import { judgeSource } from '../../pipelines/ingest/source_state.ts';
import { isInSeason, nextInSeason } from '../../sources/days.ts';
import duval from '../../sources/distress/fl_duval_certificates/source.ts';
import shelby from '../../sources/tax/tn_shelby_tax_sale/source.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

const REAL = new URL('../../../shared/real/more/florida_lienhub/tax_certificate_list_sample.csv', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

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
  const traffic = { requests: 0, bytes: 0 };
  const health = (read: Partial<typeof row>) =>
    sourceHealth({ ...row, ...read, traffic } as unknown as Parameters<typeof sourceHealth>[0], duval, '2026-11-20');
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

test('224 real accounts of 28 counties in the native columns: all accepted, none wrong', { skip }, async () => {
  const items = parse(readFileSync(REAL, 'utf8'), { columns: true }) as Record<string, string>[];
  // The file has one value for each of three columns; the printed forms of amount and homestead are ours.
  const lines = items.map((item, at) => {
    const amount = Number(item['tax_amount_owed']).toFixed(2);
    const grouped = at % 2 === 0 ? amount : `"${amount.replace(/\B(?=(\d{3})+\.)/gu, ',')}"`;
    return [item['parcel_norm'], grouped, item['tax_homestead'] === 'True' ? '1' : ''].join(',');
  });
  const text = ['Account No.,Face Amount,Homestead', ...lines].join('\r\n');
  const page = pageOf(new TextEncoder().encode(text), { kind: 'csv', url: 'https://lienhub.com/list' });
  const { rowsIn, rows, rejects, merged } = await parsed(duval, [page]);
  assert.deepEqual([rowsIn, rows.length, rejects.length, merged], [224, 224, 0, 0]);
  const wrong = rows.filter((row, at) => {
    const item = items[at] ?? {};
    return (
      row['record_number'] !== item['parcel_norm'] ||
      row['amount'] !== Number(item['tax_amount_owed']).toFixed(2) ||
      String(row['description']).endsWith('homestead') !== (item['tax_homestead'] === 'True')
    );
  });
  assert.deepEqual(wrong, []);
});

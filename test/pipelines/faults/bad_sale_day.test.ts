/** One sale day that cannot be read: in the snapshot the other days are new, and its rows are yesterday's. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { collectWarnings } from '../../../pipelines/run/summary.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { dayNumber } from '../../../sandbox/world/days.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay } from '../runs.ts';

const SOURCE = 'oh_cuyahoga_sheriff';

test('a sale day whose statuses are lost keeps its last good rows and is reported by date', async () => {
  const layout = await newLayout();
  const world = makeWorld({ seed: 8, listings: 0, parcels: 0, auctions: 200, filings: 0 });
  const options = { layout, world, only: [SOURCE] };
  const first = await runDay({ ...options, day: '2026-11-19', tables: ['auctions'] });
  const daysOf = (run: typeof first, runId: string): Promise<Record<string, unknown>[]> =>
    published(
      layout,
      runId,
      'auctions',
      `WHERE county_fips = '39035' AND sale_date > DATE '${run.truth.day}' ORDER BY sale_date, case_number`,
    );
  const before = await daysOf(first, first.runId);
  const [[badDay] = []] = [...Map.groupBy(before, (row) => String(row['sale_date']))].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  assert.ok(badDay !== undefined);
  const wasOnIt = before.filter((row) => row['sale_date'] === badDay);
  assert.ok(wasOnIt.length > 10, 'more than one page');

  // The session holds the day.
  const alter: Alter = (request, response) => {
    if (request.host !== 'cuyahoga.sheriffsaleauction.ohio.gov' || !request.query.toString().includes('FNC=UPDATE&'))
      return undefined;
    return request.headers['cookie']?.includes(`CFID=${dayNumber(badDay)};`) === true
      ? { ...response, body: new TextEncoder().encode('{"WM":2,"CM":1,"ADATA":{"COUNT":0,"AITEM":[]}}') }
      : undefined;
  };
  const second = await runDay({ ...options, day: '2026-11-20', tables: ['auctions'], alter });
  const source = second.sources.find(({ spec }) => spec.name === SOURCE);
  assert.equal(source?.row.status, 'degraded');
  assert.equal(source?.row.reason, 'page_unread');
  assert.deepEqual([source.row.rows_rejected, source.row.rows_carried], [1, wasOnIt.length]);
  assert.match(
    source.standing?.rejects.map(({ reason, detail }) => `${reason}: ${detail}`).join() ?? '',
    new RegExp(
      `^count_mismatch: the sale of ${badDay} is unreadable: ` +
        'UPDATE answered 0 of 10 statuses of page 1 of the waiting sales \\(COUNT 0\\)',
      'u',
    ),
  );
  const after = await daysOf(second, second.runId);
  assert.deepEqual(
    after.filter((row) => row['sale_date'] === badDay).map((row) => [row['case_number'], row['sale_status']]),
    wasOnIt.map((row) => [row['case_number'], row['sale_status']]),
  );
  const observed = new Map(after.map((row) => [row['sale_date'], String(row['last_seen']).slice(0, 10)]));
  assert.equal(observed.get(badDay), '2026-11-19');
  observed.delete(badDay);
  assert.ok(observed.size > 2 && [...observed.values()].every((day) => day === '2026-11-20'));

  const folder = join(layout.drop, SOURCE);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'page.json'), '{}');
  const third = await runDay({ ...options, day: '2026-11-21', tables: [] });
  assert.match(
    collectWarnings(third).join('\n'),
    /_sheriff quarantined: malformed_page: .*page\.json in the drop folder .* Expected: .*2026-12-07_1\.html/u,
  );
});

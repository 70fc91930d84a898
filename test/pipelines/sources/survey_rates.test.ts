/** Rates and vacancy read from the sandbox, labelled as made up, and what a wrong page of rates does to its source. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../lib/time.ts';
import { checkHealth } from '../../../pipelines/operate/health.ts';
import { checkExpectations } from '../../../pipelines/ingest/stage/check_rows.ts';
import { respond } from '../../../sandbox/http.ts';
import type { Alter } from '../../../sandbox/server.ts';
import pmms from '../../../sources/benchmarks/freddie_pmms.ts';
import { Quarantine } from '../../../sources/contract.ts';
import { loadSources } from '../../../sources/index.ts';
import { parsed } from '../../sources/parsed.ts';
import { pageOf } from '../../sources/recorded.ts';
import { published, runDay } from '../runs.ts';
import { JOIN_RATES } from '../some_tables.ts';
import { afterFirstDay, SECOND_DAY } from '../starting_points.ts';

const FREDDIE = 'date,pmms30,pmms30p,pmms15,pmms15p,pmms51,pmms51p,pmms51m,pmms51spread';

/** Weeks of the survey's file up to a day, the last with this rate. */
function weeksUpTo(day: string, rate: string): string {
  const weeks = Array.from({ length: 110 }, (_, back) => new Date(Date.parse(day) - back * 7 * DAY_MS));
  const lines = weeks.map((at, back) => {
    const printed = `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()}`;
    return `${printed},${back === 0 ? rate : '7.10'},,6.40,,,,,`;
  });
  return `${[FREDDIE, ...lines.reverse()].join('\n')}\n`;
}

const SURVEY = 'www.freddiemac.com';

test('a page whose last row is a year old degrades its source', async () => {
  const { layout, world } = await afterFirstDay();
  const alter: Alter = ({ host, path }) =>
    host === SURVEY && path !== '/robots.txt' ? respond(weeksUpTo('2025-11-20', '7.10'), 'text/csv') : undefined;
  const { runId } = await runDay({
    layout,
    world,
    day: SECOND_DAY,
    only: ['freddie_pmms'],
    alter,
    tables: ['sources'],
    empty: [JOIN_RATES],
  });
  const [row] = await published(layout, runId, 'sources', "WHERE source = 'freddie_pmms'");
  assert.deepEqual(
    [row?.['status'], row?.['reason'], row?.['detail']],
    [
      'degraded',
      'no_recent_rows',
      'the newest row is of 2025-11-20, 368 days before it was read; at most 14 days expected',
    ],
  );
  const health = await checkHealth(layout, await loadSources());
  assert.deepEqual(
    health.troubles.filter(({ kind }) => kind === 'source_degraded').map(({ subject, runbook }) => [subject, runbook]),
    [['freddie_pmms', 'docs/runbook.md#no_recent_rows']],
  );
});

/** Why the survey's file is quarantined, read on the second day. */
async function refusal(body: string): Promise<string> {
  const url = `https://${SURVEY}/pmms/docs/PMMS_history.csv`;
  const observedAt = `${SECOND_DAY}T12:00:00Z`;
  const read = await parsed(pmms, [pageOf(new TextEncoder().encode(body), { kind: 'history', url, observedAt })]);
  try {
    checkExpectations(pmms, { ...read, rows: read.rows.length }, undefined);
  } catch (error) {
    assert.ok(error instanceof Quarantine);
    return `${error.reason}: ${error.message}`;
  }
  return 'good';
}

test('a rate of 728 instead of 7.28 quarantines the page, and so does a row of a future day', async () => {
  assert.equal(await refusal(weeksUpTo('2026-11-19', '7.28')), 'good');
  assert.equal(
    await refusal(weeksUpTo('2026-11-19', '728')),
    'too_many_rejects: 1 of 110 rows refused, at most 0 % expected: 1 bad_rate. ' +
      'row 109: MORTGAGE30US of 2026-11-19 is "728", expected a rate from 0 to 25 percent',
  );
  assert.match(
    await refusal(weeksUpTo('2026-11-26', '7.10')),
    /MORTGAGE30US has a row of 2026-11-26, after the day of the read, 2026-11-23/u,
  );
  assert.match(await refusal(`${FREDDIE}\n11/19/2026,7.28,,6.40,,,,,\n`), /^too_few_rows: 1 rows read, at least 50/u);
});

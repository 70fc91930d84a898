/** The registers over several days: earlier rows stay, corrections apply, and unchanged rows keep their age. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Layout } from '../../../pipelines/layout.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { makeWorld, type WorldDay } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay } from '../runs.ts';

/** Few filings, among which each kind of change happens. */
const world = makeWorld({ seed: 20, listings: 0, parcels: 0, auctions: 0, filings: 300 });
/** The second Saturday of November 2026 is the 14th. */
const [THURSDAY, FRIDAY, SATURDAY, LATER] = ['2026-11-12', '2026-11-13', '2026-11-14', '2026-11-30'] as const;

type Run = RunResult & { readonly truth: WorldDay };

const runOf = (layout: Layout, day: string, state: '' | 'ohio', alter?: Alter): Promise<Run> =>
  runDay({
    layout,
    world,
    day,
    only: ({ family, name }) => family === 'register' && name.startsWith(state),
    tables: ['filings', 'agents', 'registers'],
    ...(alter ? { alter } : {}),
  });

/** Filings of a source as published, by document number. */
const filingsOf = async (
  layout: Layout,
  { runId }: Run,
  source: string,
): Promise<Map<unknown, Record<string, unknown>>> =>
  new Map(
    (await published(layout, runId, 'filings', `WHERE source = '${source}'`)).map((row) => [
      row['document_number'],
      row,
    ]),
  );

const agentKey = (name: unknown): string =>
  String(name)
    .replaceAll(/[^A-Za-z0-9]+/gu, ' ')
    .toUpperCase();

/** Number of filings of each agent, ignoring punctuation in names. */
function agentCounts(names: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== null) counts.set(agentKey(name), (counts.get(agentKey(name)) ?? 0) + 1);
  return counts;
}

/** Of Ohio's files, by path. */
const FOLDER = '/free/OnlineBusinessReports/';
const REPORT = 'WI0100R.TXT';
const noon = (day: string): string => `${day}T12:00:00Z`;
/** The same instant as DuckDB prints it. */
const noonSeen = (day: string): string => `${day} 12:00:00+00`;

describe('the registers over several days', () => {
  let layout: Layout;
  let thursday: Run;
  let friday: Run;
  let saturday: Run;
  let later: Run;
  /** Bodies of Ohio's files on Saturday, by name. */
  const bodies = new Map<string, Uint8Array>();
  /** Filings of October's report, which the office republishes: one is removed, and the name of one is corrected. */
  let goneId: string | undefined;
  let correctedId: string | undefined;

  before(async () => {
    layout = await newLayout();
    thursday = await runOf(layout, THURSDAY, '');
    friday = await runOf(layout, FRIDAY, '');
    saturday = await runOf(layout, SATURDAY, '', ({ path }, response) => {
      if (path.startsWith(FOLDER) && response.status === 200) bodies.set(path.slice(FOLDER.length), response.body);
      return undefined;
    });
    const report = new TextDecoder('windows-1252').decode(bodies.get(REPORT));
    const [header = '', gone = '', corrected = '', ...rest] = report.split('\r\n');
    [goneId, correctedId] = [gone.split(',')[0], corrected.split(',')[0]];
    const name = String((await filingsOf(layout, saturday, 'ohio_sos')).get(correctedId)?.['business_name']);
    const again = [header, corrected.replace(name, 'CORRECTED NAME LLC'), ...rest].join('\r\n');
    assert.ok(again.includes('CORRECTED NAME LLC'));
    later = await runOf(layout, LATER, '', ({ path }, response) =>
      path === `${FOLDER}${REPORT}`
        ? { ...response, status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(again, 'latin1') }
        : undefined,
    );
  });

  test('Colorado: after increments, names, standings and agents equal those of a full export', async () => {
    const seen = { added: 0, fallen: 0, agents: 0, renamed: 0 };
    let earlierRows = new Map<unknown, Record<string, unknown>>();
    for (const run of [thursday, friday, saturday, later]) {
      const { truth, sources } = run;
      const day = truth.day;
      const rows = await filingsOf(layout, run, 'colorado_sos');
      assert.equal(rows.size, truth.colorado.length, day);
      const counts = agentCounts([...rows.values()].map((row) => row['registered_agent_name']));
      for (const { entityId, name, row } of truth.colorado) {
        const agent =
          row['agentorganizationname'] ??
          (['agentfirstname', 'agentmiddlename', 'agentlastname', 'agentsuffix']
            .map((column) => row[column])
            .filter(Boolean)
            .join(' ') ||
            null);
        const found = rows.get(entityId);
        assert.deepEqual(
          [
            found?.['business_name'],
            found?.['entity_status'],
            found?.['entity_status_raw'],
            found?.['registered_agent_name'],
          ],
          [name, row['entitystatus'], row['entitystatus'], agent],
          `${entityId} on ${day}`,
        );
        assert.equal(
          found?.['agent_filings'],
          agent === null ? null : counts.get(agentKey(agent)),
          `filings of the agent of ${entityId} on ${day}`,
        );
        const earlier = earlierRows.get(entityId);
        if (earlierRows.size === 0) continue;
        seen.added += earlier ? 0 : 1;
        seen.fallen += earlier && earlier['entity_status'] !== found?.['entity_status'] ? 1 : 0;
        seen.agents += earlier && earlier['registered_agent_name'] === null && agent !== null ? 1 : 0;
        seen.renamed += earlier && earlier['business_name'] !== name ? 1 : 0;
      }
      const read = sources.find(({ row }) => row.source === 'colorado_sos')?.latest;
      if (earlierRows.size > 0)
        assert.ok(
          (read?.counts.rows_in ?? 0) < rows.size / 3,
          `an increment is small: ${read?.counts.rows_in} of ${rows.size} rows`,
        );
      earlierRows = rows;
    }
    assert.ok(
      Object.values(seen).every((count) => count > 0),
      `each kind of change happened: ${JSON.stringify(seen)}`,
    );
  });

  test('Ohio: an unchanged file is not fresh, a new month adds rows, a republished one corrects them', async () => {
    const stateOf = ({ sources }: RunResult) =>
      sources.filter(({ row }) => row.source.startsWith('ohio_sos')).map(({ row }) => [row.last_good_at, row.age_days]);

    const september = await filingsOf(layout, thursday, 'ohio_sos');
    assert.equal(thursday.truth.ohio.month, '2026-09');

    const read = friday.sources.find(({ row }) => row.source === 'ohio_sos')?.latest;
    assert.deepEqual([read?.status, read?.traffic.not_modified], ['good', 10]);
    assert.deepEqual(
      stateOf(friday),
      [
        [noon(THURSDAY), 1],
        [noon(THURSDAY), 1],
      ],
      'confirmed, but a day older',
    );
    assert.deepEqual(await filingsOf(layout, friday, 'ohio_sos'), september);

    const both = await filingsOf(layout, saturday, 'ohio_sos');
    assert.deepEqual(stateOf(saturday), [
      [noon(SATURDAY), 0],
      [noon(SATURDAY), 0],
    ]);
    assert.equal(saturday.truth.ohio.month, '2026-10');
    const october = saturday.truth.ohio.filings.filter(({ businessName }) => businessName !== null);
    assert.equal(both.size, september.size + october.length);
    const amended = saturday.truth.ohio.amendments.filter(({ businessName }) => businessName !== null);
    let told = 0;
    for (const [id, old] of september) {
      const now = both.get(id);
      if (now?.['amendment_document'] === old['amendment_document']) {
        assert.deepEqual(
          { ...now, agent_filings: null },
          { ...old, agent_filings: null },
          'a filing of the month before is unchanged',
        );
        continue;
      }
      const amendment = amended.find(({ documentNumber }) => documentNumber === now?.['amendment_document']);
      assert.deepEqual(
        [
          now?.['charter_number'],
          now?.['amendment_kind'],
          now?.['amendment_date'],
          now?.['change_kind'],
          now?.['last_updated'],
          now?.['entity_status'],
        ],
        [amendment?.charterNumber, amendment?.kind, amendment?.effectiveDate, 'changed', noonSeen(SATURDAY), null],
      );
      told += 1;
    }
    assert.ok(told > 0, 'an amendment of October concerns a filing of September');

    const after = await filingsOf(layout, later, 'ohio_sos');
    assert.equal(after.size, both.size, 'nothing is lost');
    assert.deepEqual(
      [
        after.get(correctedId)?.['business_name'],
        after.get(correctedId)?.['change_kind'],
        after.get(correctedId)?.['first_seen'],
        after.get(correctedId)?.['last_updated'],
      ],
      ['CORRECTED NAME LLC', 'changed', noonSeen(SATURDAY), noonSeen(LATER)],
    );
    assert.deepEqual(
      [after.get(goneId)?.['business_name'], after.get(goneId)?.['last_seen']],
      [both.get(goneId)?.['business_name'], noonSeen(SATURDAY)],
    );
  });
});

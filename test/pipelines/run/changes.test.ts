/** The summary of a run counts each record that changed once, whatever else its parcel has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { changesSince } from '../../../pipelines/run/summary/changes.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { shownRows } from '../runs.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../starting_points.ts';

test('new and gone debts and other records are counted by their ids', async (t) => {
  const { layout } = await afterSecondDay();
  const duck = await openSmall();
  t.after(duck.close);
  for (const [prefix, runId] of [
    ['', SECOND_RUN],
    ['previous_', FIRST_RUN],
  ] as const)
    for (const table of Object.keys((await readManifest(layout, runId)).tables))
      await duck.connection.run(`CREATE VIEW ${prefix}${table} AS ${await shownRows(layout, runId, table)}`);
  const expected = await rowsOf(
    duck.connection,
    `SELECT
      concat(
        if(signal_type = 'tax_delinquent', 'debts', 'other records'),
        if(signal_state = 'listed', ' new', ' gone from their list')
      ) AS label,
      count(*)::integer AS n
    FROM signals
    WHERE signal_state = 'listed' AND id NOT IN (SELECT id FROM previous_signals)
      OR signal_state = 'removed' AND id IN (SELECT id FROM previous_signals WHERE signal_state = 'listed')
    GROUP BY label ORDER BY label`,
  );
  const { since, counts } = await changesSince(duck.connection, FIRST_RUN);
  assert.equal(since, FIRST_RUN);
  const ofSignals = counts.filter(({ label }) => /^(?:debts|other records) /u.test(label));
  assert.deepEqual(
    ofSignals.toSorted((a, b) => a.label.localeCompare(b.label)),
    expected,
  );
  assert.ok(ofSignals.some(({ label }) => label === 'debts gone from their list'));
});

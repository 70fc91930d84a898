/** Histograms of the profile report have every bin between their ends, also an empty one. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { DAY_MS } from '../../lib/time.ts';
import { openSnapshot, type OpenSnapshot } from '../../pipelines/analyse/open_snapshot.ts';
import { queryFacts, type FactName, type Facts } from '../../pipelines/analyse/profile/facts.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';

const WEEK_MS = 7 * DAY_MS;

let snapshot: OpenSnapshot;
let facts: Facts;
before(async () => {
  snapshot = await openSnapshot((await afterFirstDay()).layout.root);
  facts = await queryFacts(snapshot.duck.connection);
});
after(() => snapshot.duck.close());

const positions = (name: FactName, column: string, size: number): number[] => {
  const values = facts[name].map((row) => (column === 'week' ? Date.parse(String(row[column])) : Number(row[column])));
  return [...new Set(values.map((value) => Math.round(value / size)))];
};

for (const [name, column, size] of [
  ['score_parts', 'band', 10],
  ['confidence', 'band', 0.05],
  ['lead_scores', 'band', 5],
  ['auctions_by_week', 'week', WEEK_MS],
] as const)
  it(`${name} skips no bin`, () => {
    const found = positions(name, column, size);
    assert.ok(found.length > 3);
    assert.deepEqual(
      found,
      found.map((_, i) => (found[0] ?? 0) + i),
    );
  });

it('counts as many rows in all bins as in the table', async () => {
  const [leads] = (
    await snapshot.duck.connection.runAndReadAll('SELECT count(*)::INT AS n FROM leads')
  ).getRowObjectsJson();
  assert.equal(
    facts.lead_scores.reduce((sum, row) => sum + Number(row['leads']), 0),
    leads?.['n'],
  );
  assert.ok(facts.lead_scores.some((row) => row['leads'] === 0) || facts.confidence.some((row) => row['deals'] === 0));
});

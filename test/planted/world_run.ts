/**
 * Runs a tiny world on some days and prints what is wrong with it as JSON: sources that are not good, blocking audits,
 * and lines of the reconciliation that differ. For a copy of the tree with a planted fault.
 */
import { differingLines } from '../../sandbox/comparison/compare.ts';
import { reconcile } from '../../sandbox/comparison/records.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { awaitsOperator } from '../../pipelines/ingest/source_state.ts';
import { newLayout, runDay, TINY } from '../pipelines/runs.ts';
import type { Findings } from './fault.ts';

const days = process.argv.slice(2);
const layout = await newLayout();
const world = makeWorld({ ...TINY, filings: 20 });
const found: Findings = { degraded: [], quarantined: [], audits: [], lines: [] };
for (const day of days) {
  // The history of listings needs listings only, the last day all that they are joined with.
  const only = ({ family }: { readonly family: string }): boolean =>
    family !== 'register' && (day === days.at(-1) || family === 'listings');
  const result = await runDay({ layout, world, day, only });
  for (const { row } of result.sources.filter((source) => !awaitsOperator(source.row))) {
    if (row.status === 'degraded') found.degraded.push(row.source);
    if (row.status === 'quarantined' || row.status === 'unavailable') found.quarantined.push(row.source);
  }
  found.audits.push(...result.blocked.map(({ name }) => name));
  if (day !== days.at(-1) || result.manifest === null) continue;
  const { comparisons } = await reconcile(layout.snapshot(result.runId), world);
  found.lines.push(...differingLines(comparisons));
}
process.stdout.write(JSON.stringify(found));

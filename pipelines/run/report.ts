/** The report of a run: runs/<run id>/run.json. */
import { join } from 'node:path';
import { writeWhole } from '../../lib/files.ts';
import type { SourceState } from '../ingest/source_state.ts';
import type { Layout } from '../layout.ts';

export interface RunOutcome {
  readonly sources: readonly SourceState[];
  /** Names of the blocking audits that failed. */
  readonly blocked: readonly string[];
  readonly published: boolean;
  readonly current: boolean;
}

export async function writeReport(
  layout: Layout,
  runId: string,
  startedMs: number,
  { sources, ...outcome }: RunOutcome,
): Promise<void> {
  const report = {
    run_id: runId,
    started_at: new Date(startedMs).toISOString(),
    seconds: (Date.now() - startedMs) / 1000,
    ...outcome,
    reads: sources.map(({ spec, latest }) => ({
      source: spec.name,
      status: latest?.status ?? 'not_due',
      reason: latest?.reason ?? null,
      counts: latest?.counts ?? null,
      traffic: latest?.traffic ?? null,
    })),
  };
  await writeWhole(join(layout.run(runId), 'run.json'), `${JSON.stringify(report, null, 1)}\n`);
}

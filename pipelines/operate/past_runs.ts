/** What earlier runs say of themselves: runs/<run id>/run.json. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../lib/files.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';

const count = z.int().min(0);

/** What of a run's report is read here; it says more. */
const RunReport = z.looseObject({
  run_id: z.string(),
  started_at: z.string(),
  seconds: z.number(),
  published: z.boolean(),
  current: z.boolean(),
  blocked: z.array(z.string()),
  reads: z.array(
    z.looseObject({
      source: z.string(),
      status: z.string(),
      traffic: z.looseObject({ requests: count, bytes: count }).nullable(),
    }),
  ),
});
export type RunReport = z.infer<typeof RunReport>;

/** A run that wrote no report is at work, or died. */
export interface PastRun {
  readonly runId: string;
  readonly report: RunReport | null;
  /** When its folder was made. */
  readonly startedMs: number;
}

/** Runs, oldest first. A folder that retention has emptied is none. */
export async function pastRuns(layout: Layout): Promise<PastRun[]> {
  const names = await readdir(layout.runs).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const runs: PastRun[] = [];
  for (const runId of names.filter((n) => parseRunId(n) !== null).sort(compareRunIds)) {
    const found = await readJson(join(layout.run(runId), 'run.json'));
    const checked = RunReport.safeParse(found);
    runs.push({
      runId,
      report: checked.success ? checked.data : null,
      startedMs: (await stat(layout.run(runId))).birthtimeMs,
    });
  }
  return runs;
}

export interface Cost {
  readonly runs: number;
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** What runs asked of other people's sites, and of this machine. */
export function costOf(runs: readonly RunReport[]): Cost {
  const traffic = runs.flatMap((r) => r.reads.flatMap((read) => (read.traffic ? [read.traffic] : [])));
  return {
    runs: runs.length,
    requests: traffic.reduce((sum, t) => sum + t.requests, 0),
    bytes: traffic.reduce((sum, t) => sum + t.bytes, 0),
    seconds: Math.round(runs.reduce((sum, r) => sum + r.seconds, 0)),
  };
}

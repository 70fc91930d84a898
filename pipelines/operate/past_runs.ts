/** Reports of earlier runs: runs/<run id>/run.json. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../lib/files.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';

const count = z.int().min(0);

/** The fields of a run's report that are read here. */
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

export interface PastRun {
  readonly runId: string;
  /** Null if the run is in progress, or died. */
  readonly report: RunReport | null;
  /** When its folder was created. */
  readonly startedMs: number;
}

/** Runs, oldest first. */
export async function pastRuns(layout: Layout): Promise<PastRun[]> {
  const names = await readdir(layout.runs).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const runs: PastRun[] = [];
  for (const runId of names.filter((name) => parseRunId(name) !== null).sort(compareRunIds)) {
    const report = RunReport.safeParse(await readJson(join(layout.run(runId), 'run.json')));
    runs.push({
      runId,
      report: report.success ? report.data : null,
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

/** Requests to sites and time of this machine that runs took. */
export function sumCosts(runs: readonly RunReport[]): Cost {
  const traffic = runs.flatMap((run) => run.reads.flatMap((read) => (read.traffic ? [read.traffic] : [])));
  return {
    runs: runs.length,
    requests: traffic.reduce((sum, t) => sum + t.requests, 0),
    bytes: traffic.reduce((sum, t) => sum + t.bytes, 0),
    seconds: Math.round(runs.reduce((sum, r) => sum + r.seconds, 0)),
  };
}

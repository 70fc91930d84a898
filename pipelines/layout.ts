/** Where everything lies under DATA_DIR. The only file that spells these paths. */
import { join } from 'node:path';

export interface Layout {
  readonly root: string;
  /** Staged rows and the record of each read: `staged/<source>/<run id>.{parquet,json}`. */
  staged(source: string): string;
  readonly stagedRoot: string;
  readonly runs: string;
  run(runId: string): string;
  readonly snapshots: string;
  snapshot(runId: string): string;
  /** The link that names the published snapshot. */
  readonly current: string;
  readonly drop: string;
  /** Notes whether the folder holds the sandbox's data or the real web's. */
  readonly kind: string;
  /** Held by the run that is at work. */
  readonly lock: string;
}

export function layoutOf(dataDir: string, dropDir?: string): Layout {
  return {
    root: dataDir,
    staged: (source) => join(dataDir, 'staged', source),
    stagedRoot: join(dataDir, 'staged'),
    runs: join(dataDir, 'runs'),
    run: (runId) => join(dataDir, 'runs', runId),
    snapshots: join(dataDir, 'snapshots'),
    snapshot: (runId) => join(dataDir, 'snapshots', runId),
    current: join(dataDir, 'current'),
    drop: dropDir ?? join(dataDir, 'drop'),
    kind: join(dataDir, 'kind.json'),
    lock: join(dataDir, 'lock.sqlite'),
  };
}

/** Run ids read `<day>.<number of the run on that day>`, so that they sort by day, then by number. */
export const runIdOf = (asOf: string, number: number): string => `${asOf}.${String(number).padStart(2, '0')}`;

export function parseRunId(runId: string): { asOf: string; number: number } | null {
  const match = /^(\d{4}-\d{2}-\d{2})\.(\d{2,})$/.exec(runId);
  return match?.[1] && match[2] ? { asOf: match[1], number: Number(match[2]) } : null;
}

/** Order of two run ids: by day, then by number. Negative where `a` is earlier. */
export function compareRunIds(a: string, b: string): number {
  const [x, y] = [parseRunId(a), parseRunId(b)];
  if (!x || !y) throw new Error(`not a run id: ${x ? b : a}, expected <YYYY-MM-DD>.<nn>`);
  return x.asOf === y.asOf ? x.number - y.number : x.asOf < y.asOf ? -1 : 1;
}

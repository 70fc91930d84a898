/** Paths under DATA_DIR. Only this file spells them. */
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
  /** Link to the current snapshot. */
  readonly current: string;
  /** Releases for other people (`make release`), by run id. */
  readonly releases: string;
  /** Iceberg metadata of the published tables: `iceberg/<table>/metadata/`. */
  readonly iceberg: string;
  readonly drop: string;
  /** Whether the data is of the sandbox or of the real web. */
  readonly kind: string;
  /** Lock of the run in progress. */
  readonly lock: string;
  /** Lock shared by commands that read snapshots; pruning takes it alone. */
  readonly readers: string;
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
    releases: join(dataDir, 'releases'),
    iceberg: join(dataDir, 'iceberg'),
    drop: dropDir ?? join(dataDir, 'drop'),
    kind: join(dataDir, 'kind.json'),
    lock: join(dataDir, 'lock.sqlite'),
    readers: join(dataDir, 'readers.sqlite'),
  };
}

/** Empty file in the folder of a run that Ctrl-C ended. */
export const STOPPED = 'stopped';

/** Run id: `<day>.<number of the run on that day>`. */
export const runIdOf = (asOf: string, number: number): string => `${asOf}.${String(number).padStart(2, '0')}`;

export function parseRunId(runId: string): { asOf: string; number: number } | null {
  const match = /^(\d{4}-\d{2}-\d{2})\.(\d{2,})$/.exec(runId);
  return match?.[1] && match[2] ? { asOf: match[1], number: Number(match[2]) } : null;
}

/** Order of two run ids: by day, then by number. Negative if `a` is earlier. */
export function compareRunIds(a: string, b: string): number {
  const [x, y] = [parseRunId(a), parseRunId(b)];
  if (!x || !y) throw new Error(`not a run id: ${x ? b : a}, expected <YYYY-MM-DD>.<nn>`);
  return x.asOf === y.asOf ? x.number - y.number : x.asOf < y.asOf ? -1 : 1;
}

/** Reads and stages the sources of a run, several at a time: most of the time is waiting for sites. */
import type { SourceSpec } from '../../sources/contract.ts';
import { isInSeason } from '../../sources/season.ts';
import type { Archive } from '../../sources/fetch/archive.ts';
import { daysBetween, type Clock } from '../clock.ts';
import type { Crawler } from '../crawl/crawler.ts';
import { ingest } from '../ingest/ingest.ts';
import type { Layout } from '../layout.ts';
import { readsUpTo, standingRead, type ReadRecord } from '../ingest/reads.ts';
import type { Manifest } from '../../models/manifest.ts';
import { stateOf, type SourceState } from '../ingest/source_state.ts';

export interface ReadOptions {
  readonly layout: Layout;
  readonly clock: Clock;
  /** Whether the sources are those of the sandbox or of the real web. */
  readonly dataClock: Manifest['data_clock'];
  readonly sources: readonly SourceSpec[];
  /** Whether this run reads a source; the others keep their last good rows. */
  readonly due: (spec: SourceSpec, lastGoodOn: string | null) => boolean;
  /** Whether a source may be read from the web; the others are read from the drop folder only. Default: all. */
  readonly mayFetch?: (spec: SourceSpec) => boolean;
  readonly archive: Archive;
  /** Reads the sources' pages: this process, or workers. */
  readonly crawler: Crawler;
  readonly print?: (line: string) => void;
}

/** Whether a source is due in its season: it has no good read, or its cadence has passed. */
export const dueByCadence =
  (asOf: string) =>
  (spec: SourceSpec, lastGoodOn: string | null): boolean =>
    isInSeason(spec.season, asOf) &&
    (lastGoodOn === null || daysBetween(lastGoodOn, asOf) >= (spec.readEveryDays ?? spec.everyDays));

/** @param previous snapshot whose history the run continues */
export async function readSources(
  options: ReadOptions,
  runId: string,
  previous: Manifest | null,
): Promise<readonly SourceState[]> {
  const print = options.print ?? (() => undefined);
  print(`reading ${options.sources.length} sources for ${options.clock.asOf}`);
  const waiting = [...options.sources];
  const states: SourceState[] = [];
  const worker = async (): Promise<void> => {
    for (let spec = waiting.shift(); spec; spec = waiting.shift()) {
      states.push(await readSource(options, spec, runId, previous));
    }
  };
  // A defect of our own ends the run, but only after the reads in progress have ended.
  const length = Math.min(options.crawler.atOnce, options.sources.length);
  const workers = await Promise.allSettled(
    Array.from({ length }, () =>
      worker().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  const defect = workers.find((w) => w.status === 'rejected');
  if (defect) throw defect.reason;
  for (const line of options.crawler.summary()) print(line);
  return states.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

async function readSource(
  options: ReadOptions,
  spec: SourceSpec,
  runId: string,
  previous: Manifest | null,
): Promise<SourceState> {
  const { layout, clock, dataClock, archive, crawler, mayFetch = () => true } = options;
  // A register's increment begins at the previous snapshot, whatever was read since.
  const lastGoodOn = previous?.sources.find((s) => s.source === spec.name)?.last_good_at?.slice(0, 10) ?? null;
  const lastRead = await standingRead(layout, spec.name, clock.asOf);
  const isDue = options.due(spec, lastRead?.observed_at.slice(0, 10) ?? null);
  const startedMs = Date.now();
  const run = { layout, clock, runId, archive, crawler, mayFetch };
  const read = isDue ? await ingest(run, spec, lastGoodOn) : undefined;
  const reads = await readsUpTo(layout, spec.name, clock.asOf);
  const state = stateOf(spec, {
    read,
    reads,
    isFetched: spec.fetch !== undefined && mayFetch(spec),
    asOf: clock.asOf,
    inSandbox: dataClock === 'sandbox',
  });
  options.print?.(`  ${state.row.status.padEnd(11)} ${spec.name}: ${formatRead(read, Date.now() - startedMs)}`);
  return state;
}

/** Result of a read, in words. */
function formatRead(read: ReadRecord | null | undefined, ms: number): string {
  if (read === undefined) return 'not due, rows unchanged';
  if (read === null) return 'waits for the operator';
  // Printed once for all sources, by the fetcher.
  if (read.reason === 'no_network') return 'not read';
  const why = read.detail === null ? '' : ` (${read.reason}: ${read.detail})`;
  return `${read.traffic.requests} requests, ${read.counts.rows_in} rows in, ${ms} ms${why}`;
}

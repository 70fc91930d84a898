/** Reads and stages the sources of a run, several at a time: most of the time is waiting for sites. */
import type { SourceSpec } from '../../sources/contract.ts';
import { isInSeason } from '../../sources/days.ts';
import type { Archive } from '../../lib/archive.ts';
import { daysBetween, type Clock } from '../clock.ts';
import type { Crawler } from '../crawl/crawler.ts';
import { ingest } from '../ingest/ingest.ts';
import type { Layout } from '../layout.ts';
import { readsUpTo, standingRead } from '../ingest/reads.ts';
import type { Manifest } from '../../models/manifest.ts';
import { SILENT, type Progress } from '../progress/progress.ts';
import { judgeSource, type SourceState } from '../ingest/source_state.ts';

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
  /** Default: nothing is shown. */
  readonly progress?: Progress;
}

/** Whether a source is due in its season: it has no good read, or its cadence has passed. */
export const dueByCadence =
  (asOf: string) =>
  (spec: SourceSpec, lastGoodOn: string | null): boolean =>
    isInSeason(spec.season, asOf) &&
    (lastGoodOn === null || daysBetween(lastGoodOn, asOf) >= (spec.readEveryDays ?? spec.everyDays));

/** A source of the run, and whether the run reads it. */
interface Planned {
  readonly spec: SourceSpec;
  readonly isDue: boolean;
}

/** @param previous snapshot whose history the run continues */
export async function readSources(
  options: ReadOptions,
  runId: string,
  previous: Manifest | null,
): Promise<readonly SourceState[]> {
  const { crawler, progress = SILENT } = options;
  const waiting = await plan(options);
  const due = waiting.filter((p) => p.isDue).map((p) => p.spec);
  progress.reading(due, waiting.length - due.length);
  const states: SourceState[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      states.push(await readSource(options, next, runId, previous));
    }
  };
  // A defect of our own ends the run, but only after the reads in progress have ended.
  const length = Math.min(crawler.atOnce, options.sources.length);
  const workers = await Promise.allSettled(
    Array.from({ length }, () =>
      worker().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  const defect = workers.find((result) => result.status === 'rejected');
  if (defect) throw defect.reason;
  for (const line of crawler.summary()) progress.line(line);
  return states.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/** Decide which sources the run reads. */
async function plan({ layout, clock, sources, due }: ReadOptions): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const spec of sources) {
    const lastRead = await standingRead(layout, spec.name, clock.asOf);
    planned.push({ spec, isDue: due(spec, lastRead?.observed_at.slice(0, 10) ?? null) });
  }
  return planned;
}

async function readSource(
  options: ReadOptions,
  { spec, isDue }: Planned,
  runId: string,
  previous: Manifest | null,
): Promise<SourceState> {
  const { layout, clock, dataClock, archive, crawler, mayFetch = () => true, progress = SILENT } = options;
  // A register's increment begins at the previous snapshot, whatever was read since.
  const lastGoodOn =
    previous?.sources.find((source) => source.source === spec.name)?.last_good_at?.slice(0, 10) ?? null;
  const run = { layout, clock, runId, archive, crawler, mayFetch, onRows: progress.accepted.bind(progress) };
  if (isDue) progress.started(spec);
  const read = isDue ? await ingest(run, spec, lastGoodOn) : undefined;
  if (read !== undefined) progress.ended({ spec, read });
  const reads = await readsUpTo(layout, spec.name, clock.asOf);
  return judgeSource(spec, {
    read,
    reads,
    isFetched: spec.fetch !== undefined && mayFetch(spec),
    asOf: clock.asOf,
    inSandbox: dataClock === 'sandbox',
  });
}

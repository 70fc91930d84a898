/**
 * Reads and stages the sources of a run, several hosts at a time: most of the time is waiting for sites. The sources of
 * one host are read one after the other, in this process or as a job of a worker.
 */
import type { SourceSpec } from '../../sources/contract.ts';
import { isInSeason } from '../../sources/days.ts';
import type { Archive } from '../../lib/archive.ts';
import { atOnce } from '../../lib/at_once.ts';
import type { Fetcher } from '../../sources/fetch/fetcher.ts';
import { daysBetween, type Clock } from '../clock.ts';
import { ingest, type Ingest } from '../ingest/ingest.ts';
import type { HostJobs, JobSource } from '../jobs/send.ts';
import type { Layout } from '../layout.ts';
import { earlierReads, readsUpTo, standingRead, type ReadRecord } from '../ingest/reads.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { Progress } from '../progress.ts';
import { resaleByTerms, type Resale } from '../permission.ts';
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
  /** Whether what is derived from a source may be sold. Default: as its terms say. */
  readonly resaleOf?: (spec: SourceSpec) => Resale;
  readonly archive: Archive;
  readonly fetcher: Fetcher;
  /** Workers that read the hosts. Default: this process reads them. */
  readonly jobs?: HostJobs | undefined;
  /** Default: nothing is shown. */
  readonly progress?: Partial<Progress>;
}

/** Whether a source is due in its season: it has no good read, or its cadence has passed. */
export const dueByCadence =
  (asOf: string) =>
  (spec: SourceSpec, lastGoodOn: string | null): boolean =>
    isInSeason(spec.season, asOf) &&
    (lastGoodOn === null || daysBetween(lastGoodOn, asOf) >= (spec.readEveryDays ?? spec.everyDays));

/** Hosts that a process reads at the same time. */
export const HOSTS_AT_ONCE = 4;

/** By its first host, the sources that share a host, directly or through others, in their order. */
export function groupByHost(sources: readonly SourceSpec[]): ReadonlyMap<string, readonly SourceSpec[]> {
  const siteOf = new Map<string, string>();
  for (const { hosts, name } of sources) {
    const joined = new Set(hosts.map((host) => siteOf.get(host) ?? host));
    const [site = name] = [...joined].sort();
    for (const host of hosts) siteOf.set(host, site);
    for (const [host, other] of siteOf) if (joined.has(other)) siteOf.set(host, site);
  }
  return Map.groupBy(sources, ({ name, hosts: [host = ''] }) => siteOf.get(host) ?? name);
}

/** @param previous snapshot whose history the run continues */
export async function readSources(
  options: ReadOptions,
  runId: string,
  previous: Manifest | null,
): Promise<readonly SourceState[]> {
  const { layout, clock, dataClock, sources, jobs, mayFetch = () => true, progress = {} } = options;
  const { resaleOf = resaleByTerms } = options;
  const due = new Set(await dueSources(options));
  progress.reading?.([...due], sources.length - due.size);
  // A register's increment begins at the previous snapshot, whatever was read since.
  const goodOn = new Map(previous?.sources.map((read) => [read.source, read.last_good_at?.slice(0, 10) ?? null]));
  const lastGoodOn = (spec: SourceSpec): string | null => goodOn.get(spec.name) ?? null;
  const sites = [...groupByHost(sources)].map(([site, group]) => ({
    site,
    sources: group.filter((spec) => due.has(spec)),
  }));
  const reads = new Map<string, ReadRecord | null>();
  const onEnd = (spec: SourceSpec, read: ReadRecord | null): void => {
    reads.set(spec.name, read);
    progress.ended?.({ spec, read });
  };
  const run = { ...options, runId, mayFetch, lastGoodOn, onRows: progress.accepted?.bind(progress) };
  await atOnce(sites, (site) => readSite(run, site, onEnd), jobs ? sites.length : HOSTS_AT_ONCE);
  const states = sources.map(async (spec) =>
    judgeSource(spec, {
      read: reads.get(spec.name),
      reads: await readsUpTo(layout, spec.name, clock.asOf),
      resale: resaleOf(spec),
      isFetched: spec.fetch !== undefined && mayFetch(spec),
      asOf: clock.asOf,
      inSandbox: dataClock === 'sandbox',
    }),
  );
  return (await Promise.all(states)).sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/** The sources that the run reads. */
async function dueSources({ layout, clock, sources, due }: ReadOptions): Promise<SourceSpec[]> {
  const found: SourceSpec[] = [];
  for (const spec of sources) {
    const lastRead = await standingRead(layout, spec.name, clock.asOf);
    // What people asked for, and what is right, counts in every run.
    if (spec.family === 'corrections' || due(spec, lastRead?.observed_at.slice(0, 10) ?? null)) found.push(spec);
  }
  return found;
}

interface SiteRead extends Ingest, Pick<ReadOptions, 'jobs' | 'progress'> {
  readonly mayFetch: NonNullable<ReadOptions['mayFetch']>;
  /** Day up to which the previous snapshot has the source's rows; null on a first load. */
  readonly lastGoodOn: (spec: SourceSpec) => string | null;
}

/** Read the sources of one host. The drop folder is on this machine, so workers read what is not in it. */
async function readSite(
  run: SiteRead,
  { site, sources }: { readonly site: string; readonly sources: readonly SourceSpec[] },
  onEnd: (spec: SourceSpec, read: ReadRecord | null) => void,
): Promise<void> {
  const { jobs, layout, clock, progress, mayFetch } = run;
  const left: JobSource[] = [];
  for (const spec of sources) {
    const lastGoodOn = run.lastGoodOn(spec);
    const isForWorker = jobs !== undefined && spec.fetch !== undefined && mayFetch(spec);
    progress?.started?.(spec);
    const read = await ingest(isForWorker ? { ...run, mayFetch: () => false } : run, spec, { lastGoodOn });
    if (read !== null || !isForWorker) onEnd(spec, read);
    else left.push({ spec, lastGoodOn, reads: await earlierReads(layout, spec.name, clock.asOf) });
  }
  if (jobs && left.length > 0) await jobs.read(run, { site, sources: left }, onEnd);
}

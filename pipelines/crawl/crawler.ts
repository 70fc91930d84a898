/**
 * Who reads the pages of a source from its site. A run asks a Crawler and does not know which: its own process
 * (inThisProcess), or workers in other processes (by_queue.ts). The adapters, the fetcher and the archive
 * are the same; what comes back is the same pages in the same order.
 */
import type { Page, SourceSpec } from '../../sources/contract.ts';
import type { Fetcher, Stats } from '../../sources/fetch/fetcher.ts';

/** What a read of a source depends on, as plain data: it may be done in another process. */
export interface Reading {
  /** Day of the run, YYYY-MM-DD. */
  readonly asOf: string;
  readonly runId: string;
  /** Day up to which the snapshot before this run holds the source's rows, null on a first load. */
  readonly lastGoodOn: string | null;
  /** Runs whose pages were set aside: theirs are fetched whole again rather than confirmed unchanged. */
  readonly distrusts: readonly string[];
  /** Interrupted runs of the same day: what they archived is not asked for again. */
  readonly resumes: readonly string[];
}

/** Told of a row that is known to exist but whose page could not be read. */
export type OnUnreadable = (key: Readonly<Record<string, string>>, error: unknown) => void;

export type Traffic = Pick<Stats, 'requests' | 'notModified' | 'bytes' | 'retries'>;

/** One read of one source. */
export interface SourceRead {
  /** What it has asked of the site so far. */
  readonly traffic: Traffic;
  /**
   * The pages that hold rows, in the adapter's order.
   * @throws SourceUnavailable or Quarantine as the fetcher does
   */
  pages(): AsyncIterable<Page>;
  /** The pages have been parsed and are no longer needed. */
  done(): void;
}

export interface Crawler {
  /** Sources that may be read at the same time. Politeness to one host is the fetcher's. */
  readonly atOnce: number;
  read(spec: SourceSpec, reading: Reading, onUnreadable: OnUnreadable): SourceRead;
  /** What there is to say of who read what, once all is read: lines for people. */
  account(): readonly string[];
}

/** Sources that a process reads at the same time. */
export const AT_ONCE = 4;

/** Read a source by a fetcher of this process: what every crawler comes down to. */
export function readHere(
  fetcher: Fetcher,
  spec: SourceSpec,
  reading: Reading & { readonly attempt?: number },
  onUnreadable: OnUnreadable,
): SourceRead {
  const { distrusts, ...read } = reading;
  const context = fetcher.contextFor(spec, {
    ...read,
    mayRevalidate: (runId) => !distrusts.includes(runId),
    onUnreadable,
  });
  return {
    traffic: context.stats,
    pages: () => {
      if (!spec.fetch) throw new Error(`source ${spec.name} has no site to be read from`);
      return spec.fetch(context);
    },
    done: () => {},
  };
}

/** This process reads. */
export const inThisProcess = (fetcher: Fetcher, atOnce = AT_ONCE): Crawler => ({
  atOnce,
  read: (spec, reading, onUnreadable) => readHere(fetcher, spec, reading, onUnreadable),
  account: () => [],
});

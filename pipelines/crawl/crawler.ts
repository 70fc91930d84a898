/**
 * A Crawler reads the pages of sources from their sites: in this process (inThisProcess), or by workers in other
 * processes (queue_crawler.ts). Both use the same adapters, fetcher and archive, and return the same pages in the same
 * order.
 */
import type { SourceSpec } from '../../sources/contract.ts';
import type { Fetcher, Stats } from '../../sources/fetch/fetcher.ts';
import { loadHere, type LoadRows } from '../ingest/stage/load_rows.ts';
import { readPage, type ReadPage } from '../ingest/reads.ts';

/** The inputs of a read as plain data, so that another process can do it. */
export interface Reading {
  /** Day of the run, YYYY-MM-DD. */
  readonly asOf: string;
  readonly runId: string;
  /** Day up to which the previous snapshot has the source's rows; null on a first load. */
  readonly lastGoodOn: string | null;
  /** Runs whose pages were quarantined: their pages are fetched again rather than confirmed unchanged. */
  readonly distrusts: readonly string[];
  /** Interrupted runs of the same day: their archived answers are not requested again. */
  readonly resumes: readonly string[];
}

/** Called for a known row whose page could not be read. */
export type OnUnreadable = (key: Readonly<Record<string, string>>, error: unknown) => void;

export type Traffic = Pick<Stats, 'requests' | 'notModified' | 'bytes' | 'retries'>;

/** One read of one source. */
export interface SourceRead {
  /** Requests to the site so far. */
  readonly traffic: Traffic;
  /**
   * The pages with rows, in the adapter's order.
   * @throws SourceUnavailable or Quarantine, as the fetcher does
   */
  pages(): AsyncIterable<ReadPage>;
  /** Checks the rows of its pages, or of dropped ones. */
  readonly load: LoadRows;
  /** The read is staged, or has failed. */
  done(): void;
}

export interface Crawler {
  /** Sources read at the same time. The fetcher limits the requests per host. */
  readonly atOnce: number;
  read(spec: SourceSpec, reading: Reading, onUnreadable: OnUnreadable): SourceRead;
  /** Runs of a day, on any host, whose workers have begun to read a source. Default: the archive lists them all. */
  begun?(source: string, asOf: string): Promise<readonly string[]>;
  /** Lines about the workers of the run, for people. */
  summary(): readonly string[];
}

/** Sources that a process reads at the same time. */
export const AT_ONCE = 4;

/** Read a source with a fetcher of this process. */
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
    async *pages() {
      if (!spec.fetch) throw new Error(`source ${spec.name} has no site`);
      for await (const page of spec.fetch(context)) yield readPage(page);
    },
    load: loadHere,
    done: () => {},
  };
}

/** A crawler in this process. */
export const inThisProcess = (fetcher: Fetcher, atOnce = AT_ONCE): Crawler => ({
  atOnce,
  read: (spec, reading, onUnreadable) => readHere(fetcher, spec, reading, onUnreadable),
  summary: () => [],
});

/** One read of one source: pages from the web or the drop folder become staged rows, or the record says why not. */
import { closing } from '../../lib/closing.ts';
import { basename, relative } from 'node:path';
import type { Archive } from '../../lib/archive.ts';
import { messageOf } from '../../lib/errors.ts';
import { readDrop } from '../../sources/fetch/drop.ts';
import type { Fetcher, Stats } from '../../sources/fetch/fetcher.ts';
import { type FetchContext, Quarantine, type SourceSpec, SourceUnavailable } from '../../sources/contract.ts';
import type { Clock } from '../clock.ts';
import { parseRunId, type Layout } from '../layout.ts';
import { earlierReads, readPage, refOf, stagedParquet, trustedRows, writeRead } from './reads.ts';
import type { EarlierReads, ReadPage, ReadRecord } from './reads.ts';
import { checkExpectations, type NaturalKey, type Unreadable } from './stage/check_rows.ts';
import { stageRead } from './stage/stage.ts';

export interface Ingest {
  readonly layout: Layout;
  readonly archive: Archive;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly runId: string;
  /** Number of earlier attempts of this run, whose archived pages are not requested again. Default 0. */
  readonly attempt?: number;
  /** Brings the staged rows of a read to the folder. Default: they are there. */
  readonly fetchRows?: (read: ReadRecord) => Promise<void>;
  /** Whether a source may be read from the web as well as from the drop folder. Default: always. */
  readonly mayFetch?: ((spec: SourceSpec) => boolean) | undefined;
  /** Called from time to time with the rows of a source accepted so far, and whether all are checked. */
  readonly onRows?: ((source: string, rows: number) => void) | undefined;
}

/** What earlier runs say about a source. */
export interface Before {
  /** Day up to which the previous snapshot has the source's rows; null on a first load. */
  readonly lastGoodOn: string | null;
  /** Default: as the layout has them. */
  readonly reads?: EarlierReads;
}

const NO_ROWS: ReadRecord['counts'] = { rows_in: 0, rows_out: 0, rows_rejected: 0, rows_merged: 0, rows_carried: 0 };

/** The drop folder of a source. An unreadable file fails the source; an unwritable archive fails the run. */
async function droppedFiles(run: Ingest, spec: SourceSpec): ReturnType<typeof readDrop> {
  try {
    return await readDrop(spec, { dropDir: run.layout.drop, archive: run.archive, clock: run.clock, runId: run.runId });
  } catch (error) {
    const { path, code } = error as NodeJS.ErrnoException;
    if (path === undefined || relative(run.layout.drop, path).startsWith('..')) throw error;
    throw new Quarantine(
      'malformed_page',
      `the drop folder holds ${basename(path)}, which cannot be read: ${code ?? String(error)}`,
    );
  }
}

/** A read in progress: the pages so far, and known rows whose page could not be read. */
interface ReadInProgress {
  readonly run: Ingest;
  readonly spec: SourceSpec;
  readonly context: FetchContext & { readonly stats: Stats };
  readonly lastGood: ReadRecord | undefined;
  readonly pages: ReadPage[];
  readonly unreadable: Unreadable[];
  readonly dropped: string[];
}

function toUnreadable(spec: SourceSpec, key: NaturalKey, error: unknown): Unreadable {
  const isOfSite = error instanceof SourceUnavailable || error instanceof Quarantine;
  const { pageUrl: url = spec.home, reason } = isOfSite ? error : { pageUrl: undefined, reason: 'unreadable_page' };
  return { key, url, reason, detail: messageOf(error) };
}

/** Begin a read. Interrupted runs of the same day are resumed; pages of quarantined runs are fetched again. */
async function beginRead(run: Ingest, spec: SourceSpec, { lastGoodOn, reads }: Before): Promise<ReadInProgress> {
  const { archive, clock, fetcher, layout, runId, attempt = 0 } = run;
  const { asOf } = clock;
  const { recorded, distrusted, lastGood } = reads ?? (await earlierReads(layout, spec.name, asOf));
  const unreadable: Unreadable[] = [];
  const isInterrupted = (id: string): boolean =>
    id !== runId && parseRunId(id)?.asOf === asOf && !recorded.includes(id);
  const context = fetcher.contextFor(spec, {
    asOf,
    runId,
    lastGoodOn,
    attempt,
    mayRevalidate: (id) => !distrusted.includes(id),
    resumes: (await archive.runs(spec.name)).filter(isInterrupted),
    onUnreadable: (key, error) => unreadable.push(toUnreadable(spec, key, error)),
  });
  return { run, spec, context, lastGood, pages: [], unreadable, dropped: [] };
}

function buildRecord(
  { run: { clock, runId }, spec, context: { stats }, pages, dropped }: ReadInProgress,
  status: ReadRecord['status'],
  rest: Partial<ReadRecord>,
): ReadRecord {
  const [first, ...others] = pages.map(({ observedAt }) => observedAt);
  const { requests, notModified, bytes, retries } = stats;
  return {
    source: spec.name,
    run_id: runId,
    as_of: clock.asOf,
    status,
    reason: null,
    detail: null,
    page_url: null,
    observed_at: others.reduce((latest, at) => (at > latest ? at : latest), first ?? clock.observedAt()),
    counts: NO_ROWS,
    traffic: { requests, not_modified: notModified, bytes, retries },
    pages: pages.map(refOf),
    dropped_files: [...dropped],
    stated: stats.stated,
    columns: stats.columns?.toSorted() ?? null,
    rejects: [],
    parquet: null,
    ...rest,
  };
}

/**
 * Collect the pages of a read. A dropped file takes precedence over the web.
 * @returns false where only the drop folder may be read and it is empty
 */
async function collectPages({ run, spec, context, pages, unreadable, dropped }: ReadInProgress): Promise<boolean> {
  const drop = await droppedFiles(run, spec);
  dropped.push(...drop.pages.map((page) => page.url));
  pages.push(...drop.pages.map(readPage));
  if (drop.unknownFiles.length > 0) {
    const files = drop.unknownFiles.join(', ');
    throw new Quarantine(
      'malformed_page',
      `${files} in the drop folder ${spec.name} cannot be read. Move it away. ${expectedFiles(spec)}`,
    );
  }
  const [lost] = drop.unreadable;
  if (lost && pages.length === 0) throw new Quarantine('malformed_page', lost.detail, lost.url);
  unreadable.push(...drop.unreadable.map((file) => ({ ...file, reason: 'malformed_page' })));
  if (pages.length > 0) {
    spec.checkDrop?.(drop.pages);
    return true;
  }
  if (!spec.fetch || run.mayFetch?.(spec) === false) return false;
  for await (const page of spec.fetch(context)) pages.push(readPage(page));
  return true;
}

/** Stage the rows of the pages. @throws Quarantine if they are not as expected */
async function stagePages(progress: ReadInProgress): Promise<ReadRecord> {
  const { run, spec, lastGood, pages, unreadable } = progress;
  const target = stagedParquet(run.layout, spec.name, run.runId);
  const onRows = (rows: number): void => run.onRows?.(spec.name, rows);
  await using staged = closing(
    await stageRead({ spec, pages, unreadable, observedAt: run.clock.observedAt(), target, onRows }),
  );
  checkExpectations(spec, staged, lastGood?.counts.rows_out);
  // The rows of the last good read are verified only if some are carried over.
  const carried = staged.rejectedKeys.length > 0 ? lastGood : undefined;
  if (carried) await run.fetchRows?.(carried);
  const { counts, parquet, facts } = await staged.write(carried && (await trustedRows(run.layout, carried)));
  return buildRecord(progress, 'good', { counts, parquet, rejects: [...staged.rejects], ...facts });
}

/** The record of a failed read. @throws the error if it is a defect of this program */
function recordFailure(progress: ReadInProgress, error: unknown): ReadRecord {
  if (!(error instanceof Quarantine) && !(error instanceof SourceUnavailable)) throw error;
  return buildRecord(progress, error instanceof Quarantine ? 'quarantined' : 'unavailable', {
    reason: error.reason,
    detail: error.message,
    page_url: error.pageUrl ?? null,
  });
}

/**
 * Read one source. A fault of the site or of a page goes into the record, and the rows of the last good read stay in
 * use. A defect of this program, such as counts that do not add up, throws.
 * @returns null where only the drop folder may be read and it is empty
 */
export async function ingest(run: Ingest, spec: SourceSpec, before: Before): Promise<ReadRecord | null> {
  const progress = await beginRead(run, spec, before);
  let record: ReadRecord;
  try {
    if (!(await collectPages(progress))) return null;
    record = await stagePages(progress);
  } catch (error) {
    record = recordFailure(progress, error);
  }
  // The record names pages, which must be on the disk before it.
  await run.archive.endRead({ source: spec.name, runId: run.runId });
  await writeRead(run.layout, record);
  return record;
}

/** Record that a source was not read at all. */
export async function recordUnread(
  run: Ingest,
  spec: SourceSpec,
  before: Before,
  why: SourceUnavailable,
): Promise<ReadRecord> {
  const record = recordFailure(await beginRead(run, spec, before), why);
  await writeRead(run.layout, record);
  return record;
}

/** The files that a source reads from its drop folder. A problem of all files is reported once. */
function expectedFiles({ drop = [] }: SourceSpec): string {
  if (drop.length === 0) return 'This source reads no file.';
  const sentences = drop.map(({ about }) => about.split(/(?<=\.) /u));
  const files = drop.map(({ file }, index) => `${file} (${sentences[index]?.[0] ?? ''})`).join(' or ');
  return [`Expected: ${files}.`, ...new Set(sentences.flatMap(([, ...others]) => others))].join(' ');
}

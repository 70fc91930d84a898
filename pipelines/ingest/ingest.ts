/** One read of one source: pages from the web or the drop folder become staged rows, or the record says why not. */
import { basename, relative } from 'node:path';
import type { Archive } from '../../sources/fetch/archive.ts';
import { readDrop } from '../../sources/fetch/drop.ts';
import { Quarantine, SourceUnavailable, type SourceSpec } from '../../sources/contract.ts';
import type { Clock } from '../clock.ts';
import type { Crawler } from '../crawl/crawler.ts';
import { parseRunId, type Layout } from '../layout.ts';
import { readsUpTo, refOf, stagedParquet, writeRead, type ReadRecord } from './reads.ts';
import { fileToCarryFrom } from './stage/carry.ts';
import type { Unreadable } from './stage/check.ts';
import { checkExpectations } from './expect.ts';
import { readPage, type ReadPage } from './read_page.ts';
import { stageRead } from './stage/stage.ts';

export interface Ingest {
  readonly layout: Layout;
  readonly archive: Archive;
  readonly crawler: Crawler;
  readonly clock: Clock;
  readonly runId: string;
  /** Whether a source may be read from the web as well as from the drop folder. Default: always. */
  readonly mayFetch?: ((spec: SourceSpec) => boolean) | undefined;
  /** Called from time to time with the rows of a source accepted so far, and whether all are checked. */
  readonly onRows?: ((source: string, rows: number, areAllChecked: boolean) => void) | undefined;
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

/**
 * Read one source. A fault of the site or of a page goes into the record, and the rows of the last good read stay in
 * use. A defect of this program, such as counts that do not add up, throws.
 * @param lastGoodOn day up to which the previous snapshot holds the source's rows, null on a first load
 * @returns null where only the drop folder may be read and it is empty
 */
export async function ingest(run: Ingest, spec: SourceSpec, lastGoodOn: string | null): Promise<ReadRecord | null> {
  const { layout, clock, runId } = run;
  const unreadable: Unreadable[] = [];
  const before = await readsUpTo(layout, spec.name, clock.asOf);
  const recorded = new Set(before.map((earlier) => earlier.run_id));
  const begun = [...(await run.archive.runs(spec.name)), ...((await run.crawler.begun?.(spec.name, clock.asOf)) ?? [])];
  const read = run.crawler.read(
    spec,
    {
      asOf: clock.asOf,
      runId,
      lastGoodOn,
      distrusts: before.filter((earlier) => earlier.status === 'quarantined').map((earlier) => earlier.run_id),
      resumes: [...new Set(begun)].filter(
        (id) => id !== runId && parseRunId(id)?.asOf === clock.asOf && !recorded.has(id),
      ),
    },
    (key, error) =>
      unreadable.push({
        key,
        url:
          error instanceof SourceUnavailable || error instanceof Quarantine ? (error.pageUrl ?? spec.home) : spec.home,
        reason: error instanceof SourceUnavailable || error instanceof Quarantine ? error.reason : 'unreadable_page',
        detail: error instanceof Error ? error.message : String(error),
      }),
  );
  const pages: ReadPage[] = [];
  let dropped: readonly string[] = [];
  const record = (status: ReadRecord['status'], rest: Partial<ReadRecord>): ReadRecord => ({
    source: spec.name,
    run_id: runId,
    as_of: clock.asOf,
    status,
    reason: null,
    detail: null,
    page_url: null,
    observed_at: pages.reduce(
      (latest, p) => (p.observedAt > latest ? p.observedAt : latest),
      pages[0]?.observedAt ?? clock.observedAt(),
    ),
    counts: NO_ROWS,
    traffic: {
      requests: read.traffic.requests,
      not_modified: read.traffic.notModified,
      bytes: read.traffic.bytes,
      retries: read.traffic.retries,
    },
    pages: pages.map(refOf),
    dropped_files: [...dropped],
    rejects: [],
    parquet: null,
    ...rest,
  });
  const done = async (result: ReadRecord): Promise<ReadRecord> => {
    await writeRead(layout, result);
    return result;
  };
  try {
    // A dropped file takes precedence over the web.
    const drop = await droppedFiles(run, spec);
    dropped = drop.pages.map((page) => page.url);
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
    if (pages.length > 0) spec.checkDrop?.(drop.pages);
    if (pages.length === 0) {
      if (!spec.fetch || run.mayFetch?.(spec) === false) return null;
      for await (const page of read.pages()) pages.push(page);
    }
    const lastGood = before.find((earlier) => earlier.status === 'good');
    const target = stagedParquet(layout, spec.name, runId);
    const onRows = (rows: number, areAllChecked: boolean): void => run.onRows?.(spec.name, rows, areAllChecked);
    const toStage = { spec, pages, unreadable, observedAt: clock.observedAt(), target, onRows };
    const staged = await stageRead(toStage, read.load);
    try {
      checkExpectations(spec, staged, lastGood?.counts.rows_out);
      const { counts, parquet, facts } = await staged.write(await fileToCarryFrom(layout, staged, lastGood));
      return await done(record('good', { counts, parquet, rejects: [...staged.rejects], ...facts }));
    } finally {
      await staged.close();
    }
  } catch (error) {
    if (error instanceof Quarantine) {
      return await done(
        record('quarantined', { reason: error.reason, detail: error.message, page_url: error.pageUrl ?? null }),
      );
    }
    if (error instanceof SourceUnavailable) {
      return await done(
        record('unavailable', { reason: error.reason, detail: error.message, page_url: error.pageUrl }),
      );
    }
    throw error;
  } finally {
    read.done();
  }
}

/** The files that a source reads from its drop folder. A problem of all files is reported once. */
function expectedFiles({ drop = [] }: SourceSpec): string {
  if (drop.length === 0) return 'This source reads no file.';
  const sentences = drop.map(({ about }) => about.split(/(?<=\.) /u));
  const files = drop.map(({ file }, index) => `${file} (${sentences[index]?.[0] ?? ''})`).join(' or ');
  return [`Expected: ${files}.`, ...new Set(sentences.flatMap(([, ...others]) => others))].join(' ');
}

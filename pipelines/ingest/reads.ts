/** The record of one read of one source, stored next to its staged rows, and which read is in use on a given day. */
import { join } from 'node:path';
import { z } from 'zod';
import { DamagedFile, namesIn, nullIfMissing, readJson, sha256OfFile, writeWhole } from '../../lib/files.ts';
import { RejectedRow } from '../../models/inputs.ts';
import type { Page } from '../../sources/contract.ts';
import { ArchiveDamage, type Archive } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { compareRunIds, parseRunId, type Layout } from '../layout.ts';
import { NO_BYTES, type Unreadable } from './stage/check_rows.ts';

/*
 * A read is never edited. `make rebuild SOURCE=...` adds a version, `<run id>.v2.{parquet,json}`; the newest version is
 * used.
 */

const count = z.int().min(0);

/**
 * A page that held rows. `context` distinguishes two requests for the same bytes. The content type and encoding that
 * a later parse needs are in the request's record in the archive.
 */
export const PageRef = z.strictObject({
  kind: z.string(),
  url: z.string(),
  sha256: z.string(),
  observed_at: z.iso.datetime(),
  context: z.record(z.string(), z.string()).optional(),
});
export type PageRef = z.infer<typeof PageRef>;

export const refOf = ({ kind, url, sha256, observedAt, context }: Omit<ReadPage, 'size' | 'open'>): PageRef => ({
  kind,
  url,
  sha256,
  observed_at: observedAt,
  context: { ...context },
});

export const ReadRecord = z.strictObject({
  source: z.string(),
  run_id: z.string(),
  /** 1, the default, is the read itself; a higher version is the same pages with a later parser. */
  version: z.int().min(1).optional(),
  as_of: z.iso.date(),
  status: z.enum(['good', 'quarantined', 'unavailable']),
  /** Short reason word and sentence; null on a good read. */
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  page_url: z.string().nullable(),
  /** Latest instant at which a page of this read was observed. */
  observed_at: z.iso.datetime(),
  counts: z.strictObject({
    rows_in: count,
    rows_out: count,
    rows_rejected: count,
    rows_merged: count,
    rows_carried: count,
  }),
  traffic: z.strictObject({ requests: count, not_modified: count, bytes: count, retries: count }),
  /** In reading order. */
  pages: z.array(PageRef),
  /** Dropped files of this read; empty when it came from the web. */
  dropped_files: z.array(z.string()),
  rejects: z.array(RejectedRow.schema),
  /** Rows by the site's own count; null if it states none. */
  stated: count.nullable(),
  /** Columns of the publisher's table, sorted; null if it is none. */
  columns: z.array(z.string()).nullable(),
  /** Of a source whose rows have fiscal years: those years, and the newest one on the source's own list. */
  fiscal_years: z
    .strictObject({
      rows: z.array(z.int()),
      listed: z.strictObject({ year: z.int(), on: z.iso.date() }).nullable(),
    })
    .optional(),
  /** Of a source that must have recent rows: the day of its newest row. */
  newest: z.strictObject({ on: z.iso.date().nullable() }).optional(),
  /** Of a good read: its fresh rows, and how many of them have a value, by column that may be absent. */
  filled: z.strictObject({ rows: count, by: z.record(z.string(), count) }).optional(),
  /** Of a good read: the values of its columns that repeat a publisher's own words or codes, sorted. */
  values: z.record(z.string(), z.array(z.string())).optional(),
  /** Staged rows of a good read. */
  parquet: z.strictObject({ sha256: z.string(), bytes: count }).nullable(),
});

export type ReadRecord = z.infer<typeof ReadRecord>;

export const versionOf = (record: ReadRecord): number => record.version ?? 1;

interface ReadVersion {
  readonly source: string;
  readonly runId: string;
  readonly version: number;
}

const fileOf = (layout: Layout, { source, runId, version }: ReadVersion, ending: 'json' | 'parquet'): string =>
  join(layout.staged(source), `${runId}${version === 1 ? '' : `.v${version}`}.${ending}`);

export const stagedParquet = (layout: Layout, source: string, runId: string, version = 1): string =>
  fileOf(layout, { source, runId, version }, 'parquet');

/**
 * Staged file of a good read, verified; undefined where the read has none.
 * @throws DamagedFile where it is missing or its hash differs from the record
 */
export async function trustedRows(layout: Layout, record: ReadRecord): Promise<string | undefined> {
  if (!record.parquet) return undefined;
  const file = stagedParquet(layout, record.source, record.run_id, versionOf(record));
  const found = await nullIfMissing(sha256OfFile(file));
  if (found === record.parquet.sha256) return file;
  throw new DamagedFile(
    `${file} ${found === null ? 'is missing' : 'does not have the hash its record states'}; put it back from the ` +
      `archived pages with: make rebuild SOURCE=${record.source} SINCE=${record.as_of}`,
  );
}

/** Written after the rows: a record with status good always has its rows. */
export async function writeRead(layout: Layout, record: ReadRecord): Promise<void> {
  const version = { source: record.source, runId: record.run_id, version: versionOf(record) };
  const path = fileOf(layout, version, 'json');
  await writeWhole(path, `${JSON.stringify(ReadRecord.parse(record), null, 1)}\n`);
}

/** The record of one version of a read; undefined where there is none. */
export async function readRecord(
  layout: Layout,
  source: string,
  runId: string,
  version = 1,
): Promise<ReadRecord | undefined> {
  const found = await readJson(fileOf(layout, { source, runId, version }, 'json'));
  return found === undefined ? undefined : ReadRecord.parse(found);
}

/** Run ids in a folder of records, each with its newest version, oldest first. */
async function listReads(folder: string): Promise<[runId: string, version: number][]> {
  const newest = new Map<string, number>();
  for (const name of await namesIn(folder)) {
    const [, runId = '', version = '1'] = /^(.+?)(?:\.v(\d+))?\.json$/u.exec(name) ?? [];
    if (parseRunId(runId) !== null) newest.set(runId, Math.max(newest.get(runId) ?? 1, Number(version)));
  }
  return [...newest].sort(([a], [b]) => compareRunIds(a, b));
}

/** Advice for a record that cannot be read. Without its record a read is ignored. */
const ADVICE = 'restore it from a backup, or remove it and read the source again';

const explain = (error: unknown): never => {
  throw error instanceof DamagedFile ? new DamagedFile(`${error.message}; ${ADVICE}`) : error;
};

/** Reads of a source on or before a day, newest first. @throws DamagedFile where a record cannot be read */
export async function readsUpTo(layout: Layout, source: string, asOf: string): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for (const [runId, version] of (await listReads(layout.staged(source))).reverse()) {
    if ((parseRunId(runId)?.asOf ?? '') > asOf) continue;
    const path = fileOf(layout, { source, runId, version }, 'json');
    const checked = ReadRecord.safeParse(await readJson(path).catch(explain));
    if (!checked.success)
      throw new DamagedFile(
        `${path} is not the record of a read: ` +
          `${checked.error.issues[0]?.path.join('.') ?? ''} ${checked.error.issues[0]?.message ?? ''}; ${ADVICE}`,
      );
    records.push(checked.data);
  }
  return records;
}

/** What a read of a source takes from the reads before it. */
export const EarlierReads = z.strictObject({
  /** Runs that have recorded a read; those of them that were quarantined, whose pages are fetched again. */
  recorded: z.array(z.string()),
  distrusted: z.array(z.string()),
  lastGood: ReadRecord.optional(),
});
export type EarlierReads = z.infer<typeof EarlierReads>;

/** @throws DamagedFile where a record cannot be read */
export async function earlierReads(layout: Layout, source: string, asOf: string): Promise<EarlierReads> {
  const reads = await readsUpTo(layout, source, asOf);
  return {
    recorded: reads.map((read) => read.run_id),
    distrusted: reads.filter((read) => read.status === 'quarantined').map((read) => read.run_id),
    lastGood: reads.find((read) => read.status === 'good'),
  };
}

/** The newest good read on or before a day: its rows are in use. */
export async function standingRead(layout: Layout, source: string, asOf: string): Promise<ReadRecord | undefined> {
  return (await readsUpTo(layout, source, asOf)).find((read) => read.status === 'good');
}

export interface ReadPage extends Pick<Page, 'kind' | 'url' | 'context' | 'sha256' | 'observedAt'> {
  /** Bytes of the body after content decoding. */
  readonly size: number;
  /** @throws ArchiveDamage if the archive has lost it */
  open(): Promise<Page>;
}

/** A page whose bytes are in memory. */
export const readPage = (page: Page): ReadPage => ({
  kind: page.kind,
  url: page.url,
  context: page.context,
  sha256: page.sha256,
  observedAt: page.observedAt,
  size: page.bytes.length,
  open: () => Promise.resolve(page),
});

/** Kind, URL and hash of a request or a page. */
const requestKey = (request: { kind: string; url: string; sha256: string | null }): string =>
  JSON.stringify([request.kind, request.url, request.sha256]);

/**
 * The request of each page of a read, in the order in which its parser got the pages, dated like the page. Each is in
 * the list of the read's own run, even if a 304 confirmed an older answer or an interrupted run fetched it.
 * @throws ArchiveDamage if a record is lost
 */
export async function archivedRequests(
  archive: Archive,
  record: Pick<ReadRecord, 'source' | 'run_id' | 'pages'>,
): Promise<RequestRecord[]> {
  const records = await archive.records(record.source, record.run_id);
  const answered = records.filter((request) => request.error === null && request.sha256 !== null);
  const requests: ReadonlyMap<string, readonly RequestRecord[]> = Map.groupBy(answered, requestKey);
  return record.pages.map((page) => {
    const same = requests.get(requestKey(page)) ?? [];
    const context = JSON.stringify(page.context);
    const request =
      page.context === undefined
        ? same.at(-1)
        : same.findLast((candidate) => JSON.stringify(candidate.context) === context);
    if (!request) throw new ArchiveDamage(`the archive has no request record of ${page.url} in run ${record.run_id}`);
    return { ...request, observedAt: page.observed_at };
  });
}

/** The pages of a read. @throws ArchiveDamage if a record or a body is lost */
export async function archivedPages(
  archive: Archive,
  record: Pick<ReadRecord, 'source' | 'run_id' | 'pages'>,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (const request of await archivedRequests(archive, record)) pages.push(await openPage(archive, request));
  return pages;
}

/** Known rows whose page could not be read. The read counts them as rejects without bytes. */
export function listUnreadable(record: ReadRecord): { unreadable: Unreadable[]; observedAt: string } {
  const lost = record.rejects.filter((reject) => reject.page_sha256 === NO_BYTES);
  return {
    unreadable: lost.map((reject) => ({
      key: JSON.parse(reject.raw) as Record<string, string>,
      url: reject.page_url,
      reason: reject.reason,
      detail: reject.detail,
    })),
    observedAt: lost[0]?.observed_at ?? record.observed_at,
  };
}

/** Finds the page of a row: the request, the archived bytes, their hash, and the row as published. */
import { ArchiveDamage, type Archive } from '../../../lib/archive.ts';
import type { RequestRecord } from '../../../lib/request_record.ts';
import { openPage } from '../../../sources/fetch/page.ts';
import type { Candidate, Page, SourceSpec } from '../../../sources/contract.ts';
import { droppedName } from '../../../sources/dropped_files.ts';
import { parseRunId } from '../../layout.ts';

/** Larger pages are not parsed again for an excerpt. */
const MAX_PARSED_BYTES = 64 * 1024 * 1024;
const EXCERPT_LENGTH = 900;

export interface PageQuery {
  /** Role of the page, such as listing or rent. */
  readonly role: string;
  /** Note on the row. */
  readonly note?: string;
  readonly source: string;
  readonly sha256: string;
  /** URL of the row's page: several URLs may have returned the same bytes. */
  readonly url: string | null;
  /** Whether a row of the page is the wanted one. */
  readonly isRow: (candidate: Candidate, index: number) => boolean;
}

export interface PageFound extends Pick<PageQuery, 'role' | 'note' | 'source' | 'sha256'> {
  readonly url: string | null;
  /** Name of a dropped file, whose address does not have it. */
  readonly file: string | null;
  readonly fetched_at: string | null;
  readonly run_id: string | null;
  readonly method: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly content_type: string | null;
  /** Last request that found the page unchanged, if it is a later one. */
  readonly confirmed_at: string | null;
  /** "verified", or the damage of the archived bytes. */
  readonly hash: string;
  /** Position of the row on the page, from 0. */
  readonly row: number | null;
  /** The row as published. */
  readonly excerpt: string | null;
  /** The row as parsed. */
  readonly values: Readonly<Record<string, unknown>> | null;
}

/** Requests that returned these bytes up to a day, oldest first. */
async function requestsFor(
  archive: Archive,
  { source, sha256, url }: PageQuery,
  asOf: string,
): Promise<RequestRecord[]> {
  const all = await archive.requestsFor(source, sha256);
  const found = all.filter(({ runId }) => (parseRunId(runId)?.asOf ?? '9') <= asOf);
  const ofUrl = found.filter((request) => request.url === url);
  return ofUrl.length > 0 ? ofUrl : found;
}

type RowFound = Pick<PageFound, 'row' | 'excerpt' | 'values'>;
const NO_ROW: RowFound = { row: null, excerpt: null, values: null };

async function findRow(spec: SourceSpec | undefined, page: Page, isRow: PageQuery['isRow']): Promise<RowFound> {
  if (!spec || page.bytes.length > MAX_PARSED_BYTES) return NO_ROW;
  let row = 0;
  for await (const candidate of spec.parse(page)) {
    if (isRow(candidate, row)) return findPageRow(candidate, row);
    row += 1;
  }
  return NO_ROW;
}

function findPageRow(candidate: Candidate, row: number): RowFound {
  const { raw } = candidate;
  return {
    row,
    excerpt: raw.length > EXCERPT_LENGTH ? `${raw.slice(0, EXCERPT_LENGTH)}…` : raw,
    values: 'values' in candidate ? candidate.values : null,
  };
}

/**
 * Find a page in the archive, verify its bytes, and parse the row from it with the current adapter. The result reports
 * missing and damaged bytes.
 */
export async function findPage(
  archive: Archive,
  sources: readonly SourceSpec[],
  query: PageQuery,
  asOf: string,
): Promise<PageFound> {
  const { role, note, source, sha256 } = query;
  const requests = await requestsFor(archive, query, asOf);
  const first = requests.find((record) => !record.fromCache) ?? requests[0];
  const fetched = requests.findLast((record) => record.runId === first?.runId && record.fromCache === first.fromCache);
  const last = requests.at(-1);
  // The last context: of a page with the statuses of another one, or of a dropped file with a column map.
  const parsed = requests.findLast(({ status }) => status !== 304) ?? last;
  const request = {
    role,
    ...(note === undefined ? {} : { note }),
    source,
    sha256,
    url: fetched?.url ?? query.url,
    file: fetched === undefined ? null : droppedName(fetched.context),
    fetched_at: fetched?.observedAt ?? null,
    run_id: fetched?.runId ?? null,
    method: fetched?.method ?? null,
    status: fetched?.status ?? null,
    bytes: fetched?.bytes ?? null,
    content_type: fetched?.responseHeaders['content-type'] ?? null,
    confirmed_at: last && last.observedAt !== fetched?.observedAt ? last.observedAt : null,
  };
  try {
    await archive.read(sha256);
    if (!parsed) return { ...request, ...NO_ROW, hash: 'verified' };
    const spec = sources.find((each) => each.name === source);
    const found = await findRow(spec, await openPage(archive, parsed), query.isRow);
    return { ...request, ...found, hash: 'verified' };
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    return { ...request, ...NO_ROW, hash: error.message };
  }
}

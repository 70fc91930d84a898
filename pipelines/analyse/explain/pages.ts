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

/** A row of a page: its position, from 0, as published, and as parsed. */
interface RowFound {
  readonly row: number | null;
  readonly excerpt: string | null;
  readonly values: Readonly<Record<string, unknown>> | null;
}
const NO_ROW: RowFound = { row: null, excerpt: null, values: null };

async function findRow(spec: SourceSpec | undefined, page: Page, isRow: PageQuery['isRow']): Promise<RowFound> {
  if (!spec || page.bytes.length > MAX_PARSED_BYTES) return NO_ROW;
  let row = 0;
  for await (const candidate of spec.parse(page)) {
    const { raw } = candidate;
    const excerpt = raw.length > EXCERPT_LENGTH ? `${raw.slice(0, EXCERPT_LENGTH)}…` : raw;
    if (isRow(candidate, row)) return { row, excerpt, values: 'values' in candidate ? candidate.values : null };
    row += 1;
  }
  return NO_ROW;
}

/**
 * Find a page in the archive, verify its bytes, and parse the row from it with the current adapter. The result reports
 * missing and damaged bytes.
 */
export async function findPage(archive: Archive, sources: readonly SourceSpec[], query: PageQuery, asOf: string) {
  const { source, sha256 } = query;
  const requests = await requestsFor(archive, query, asOf);
  const first = requests.find((record) => !record.fromCache) ?? requests[0];
  const fetched = requests.findLast((record) => record.runId === first?.runId && record.fromCache === first.fromCache);
  const last = requests.at(-1);
  // The last context: of a page with the statuses of another one, or of a dropped file with a column map.
  const parsed = requests.findLast(({ status }) => status !== 304) ?? last;
  let [found, hash] = [NO_ROW, 'verified'];
  try {
    await archive.read(sha256);
    const spec = sources.find((each) => each.name === source);
    if (parsed) found = await findRow(spec, await openPage(archive, parsed), query.isRow);
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    [found, hash] = [NO_ROW, error.message];
  }
  return {
    ...query,
    url: fetched?.url ?? query.url,
    /** Name of a dropped file, whose address does not have it. */
    file: fetched === undefined ? null : droppedName(fetched.context),
    /** The request that returned the bytes, and the last one, which may have found them unchanged. */
    fetched,
    last,
    ...found,
    /** "verified", or the damage of the archived bytes. */
    hash,
  };
}
export type PageFound = Awaited<ReturnType<typeof findPage>>;

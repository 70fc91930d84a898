/** From a row back to the page it was read from: the request, the archived bytes, their hash, and the row as the page has it. */
import { ArchiveDamage, type Archive, type RequestRecord } from '../../../sources/fetch/archive.ts';
import type { Candidate, Page, SourceSpec } from '../../../sources/contract.ts';
import { parseRunId } from '../../layout.ts';

/** Pages larger than this are not parsed again for an excerpt of one row. */
const LARGEST_PARSED = 64 * 1024 * 1024;
const EXCERPT = 900;

export interface PageAsked {
  /** What the page gave, such as listing or rent. */
  readonly gave: string;
  /** What is to be known of the row. */
  readonly note?: string;
  readonly source: string;
  readonly sha256: string;
  /** Page of the row, where the same bytes were read under several addresses. */
  readonly url: string | null;
  /** Whether a row of the page is the one in question. */
  readonly isRow: (candidate: Candidate, index: number) => boolean;
}

export interface PageFound extends Pick<PageAsked, 'gave' | 'note' | 'source' | 'sha256'> {
  readonly url: string | null;
  readonly fetched_at: string | null;
  readonly run_id: string | null;
  readonly method: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly content_type: string | null;
  /** Last request that found the page unchanged, where it is a later one. */
  readonly confirmed_at: string | null;
  /** Path in the data folder. */
  readonly path: string;
  /** "verified", or what is wrong with the archived bytes. */
  readonly hash: string;
  /** Position of the row on the page, from 0. */
  readonly row: number | null;
  /** The row as published. */
  readonly excerpt: string | null;
  /** The row as it was read. */
  readonly values: Readonly<Record<string, unknown>> | null;
}

/** Requests for these bytes up to a day, oldest first. */
async function requestsFor(
  archive: Archive,
  { source, sha256, url }: PageAsked,
  asOf: string,
): Promise<RequestRecord[]> {
  const found: RequestRecord[] = [];
  for (const runId of await archive.runs(source)) {
    if ((parseRunId(runId)?.asOf ?? '9') > asOf) continue;
    found.push(...(await archive.records(source, runId)).filter((r) => r.sha256 === sha256 && r.error === null));
  }
  const same = found.filter((r) => r.url === url);
  return same.length > 0 ? same : found;
}

async function rowOf(
  spec: SourceSpec | undefined,
  page: Page,
  isRow: PageAsked['isRow'],
): Promise<{ row: number; candidate: Candidate } | null> {
  if (!spec || page.bytes.length > LARGEST_PARSED) return null;
  let row = 0;
  for await (const candidate of spec.parse(page)) {
    if (isRow(candidate, row)) return { row, candidate };
    row += 1;
  }
  return null;
}

/**
 * Find a page in the archive, verify its bytes, and read the row from it again with today's adapter.
 * What is missing or damaged is said in the result.
 */
export async function findPage(
  archive: Archive,
  sources: readonly SourceSpec[],
  asked: PageAsked,
  asOf: string,
): Promise<PageFound> {
  const requests = await requestsFor(archive, asked, asOf);
  const fetched = requests.find((r) => !r.fromCache) ?? requests[0];
  const last = requests.at(-1);
  const known = {
    gave: asked.gave,
    ...(asked.note === undefined ? {} : { note: asked.note }),
    source: asked.source,
    sha256: asked.sha256,
    url: fetched?.url ?? asked.url,
    fetched_at: fetched?.observedAt ?? null,
    run_id: fetched?.runId ?? null,
    method: fetched?.method ?? null,
    status: fetched?.status ?? null,
    bytes: fetched?.bytes ?? null,
    content_type: fetched?.responseHeaders['content-type'] ?? null,
    confirmed_at: last && last !== fetched ? last.observedAt : null,
    path: `archive/objects/${asked.sha256.slice(0, 2)}/${asked.sha256}`,
  };
  const nothing = { row: null, excerpt: null, values: null };
  try {
    await archive.read(asked.sha256);
    if (!fetched) return { ...known, ...nothing, hash: 'verified' };
    const found = await rowOf(
      sources.find((s) => s.name === asked.source),
      await archive.page(fetched),
      asked.isRow,
    );
    if (!found) return { ...known, ...nothing, hash: 'verified' };
    const { candidate } = found;
    return {
      ...known,
      hash: 'verified',
      row: found.row,
      excerpt: candidate.raw.length > EXCERPT ? `${candidate.raw.slice(0, EXCERPT)}…` : candidate.raw,
      values: 'values' in candidate ? candidate.values : null,
    };
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    return { ...known, ...nothing, hash: error.message };
  }
}

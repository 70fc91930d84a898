/** The pages of an earlier read, from the archive. */
import type { Page } from '../sources/contract.ts';
import { ArchiveDamage, type Archive, type RequestRecord } from '../sources/fetch/archive.ts';
import type { ReadRecord } from './ingest/reads.ts';
import { NO_BYTES, type Unreadable } from './ingest/stage/check_rows.ts';

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
  for (const request of await archivedRequests(archive, record)) pages.push(await archive.page(request));
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

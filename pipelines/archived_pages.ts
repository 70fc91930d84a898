/** The pages of an earlier read, from the archive. */
import type { Page } from '../sources/contract.ts';
import { ArchiveDamage, type Archive, type RequestRecord } from '../sources/fetch/archive.ts';
import type { ReadRecord } from './ingest/reads.ts';
import { NO_BYTES, type Unreadable } from './ingest/check.ts';

/** Kind, URL and hash of a request or a page. */
const requestKey = (r: { kind: string; url: string; sha256: string | null }): string =>
  JSON.stringify([r.kind, r.url, r.sha256]);

/**
 * The pages of a read in the order in which its parser got them. Each has a request record in the read's own run, even
 * if a 304 confirmed an older answer or an interrupted run fetched it.
 * @param maxBytes largest body after content decoding. Default: the archive's
 * @throws ArchiveDamage if a record or a body is lost
 */
export async function archivedPages(
  archive: Archive,
  record: Pick<ReadRecord, 'source' | 'run_id' | 'pages'>,
  maxBytes?: number,
): Promise<Page[]> {
  const records = await archive.records(record.source, record.run_id);
  const answered = records.filter((r) => r.error === null && r.sha256 !== null);
  const requests: ReadonlyMap<string, readonly RequestRecord[]> = Map.groupBy(answered, requestKey);
  const pages: Page[] = [];
  for (const page of record.pages) {
    const same = requests.get(requestKey(page)) ?? [];
    const context = JSON.stringify(page.context);
    const request =
      page.context === undefined ? same.at(-1) : same.findLast((r) => JSON.stringify(r.context) === context);
    if (!request) throw new ArchiveDamage(`the archive has no request record of ${page.url} in run ${record.run_id}`);
    pages.push(await archive.page({ ...request, observedAt: page.observed_at }, maxBytes));
  }
  return pages;
}

/** Known rows whose page could not be read: they are among the rejects of the read, without bytes. */
export function unreadableOf(record: ReadRecord): { unreadable: Unreadable[]; observedAt: string } {
  const lost = record.rejects.filter((r) => r.page_sha256 === NO_BYTES);
  return {
    unreadable: lost.map((r) => ({
      key: JSON.parse(r.raw) as Record<string, string>,
      url: r.page_url,
      reason: r.reason,
      detail: r.detail,
    })),
    observedAt: lost[0]?.observed_at ?? record.observed_at,
  };
}

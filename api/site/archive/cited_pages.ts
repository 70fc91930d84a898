/** The archived pages that a report cites, and whether the terms of their sources allow showing them. */
import type { Snapshot } from '../../snapshot/load.ts';
import type { ReportBody } from '../pages/report/report.ts';

export const ARCHIVE_PATH = '/report/pages';

export interface CitedPage {
  readonly sha256: string;
  readonly source: string;
  readonly title: string;
  /** Kind of the record that the report reads from it. */
  readonly role: string;
  /** Public page of the record. */
  readonly address: string;
  readonly readAt: string;
  /** Why the terms of its source allow showing it; null if they do not allow it. */
  readonly shownUnder: string | null;
  /** Texts by which the row is found on the page. */
  readonly find: readonly string[];
}

type Cited = Omit<CitedPage, 'title' | 'shownUnder'>;

function citedBy({ deal, distress, history }: ReportBody): Cited[] {
  const ofDeal = (id: string): string[] => [id, deal.address ?? ''].filter((text) => text !== '');
  const records = [...distress.matches, ...distress.candidates].flatMap(({ kind, source_url: address, ...found }) => {
    const record = found.auction ?? found.signal;
    if (!record) return [];
    const find = record.parcel_id === null ? [] : [record.parcel_id];
    return [{ sha256: record.page_sha256, source: record.source, role: kind, address, readAt: record.last_seen, find }];
  });
  return [
    {
      sha256: deal.page_sha256,
      source: deal.source,
      role: 'listing',
      address: deal.source_url,
      readAt: deal.observed_at,
      find: ofDeal(deal.listing_id),
    },
    ...(history ?? []).map((version) => ({
      sha256: version.page_sha256,
      source: version.source,
      role: 'listing',
      address: version.source_url,
      readAt: version.version_last_seen,
      find: ofDeal(version.listing_id),
    })),
    ...records,
  ];
}

/** Each page once, in the order of the report. */
export async function citedPages(report: ReportBody, snapshot: Snapshot): Promise<CitedPage[]> {
  const cited = [...new Map(citedBy(report).map((page) => [`${page.source} ${page.sha256}`, page])).values()];
  const sources = new Map(
    (await snapshot.recordFields('sources', ['source', 'title', 'terms_show_pages'], '', [])).map((row) => [
      String(row['source']),
      row,
    ]),
  );
  return cited.map((page) => {
    const row = sources.get(page.source);
    const shownUnder = row?.['terms_show_pages'];
    return {
      ...page,
      title: row === undefined ? page.source : String(row['title']),
      shownUnder: typeof shownUnder === 'string' ? shownUnder : null,
    };
  });
}

/** The archived pages that a report cites, and one of them as a page of the site. */
import type { ReportBody } from '../../routes/report.ts';
import type { Snapshot } from '../../serving/open.ts';
import { above, code, externalLink, h2, outcome, terms } from '../components.ts';
import { countText, day } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import type { ArchivedPage } from './archived_pages.ts';

export const ARCHIVE_PATH = '/report/pages';

/** A page that a report cites. */
interface Cited {
  readonly sha256: string;
  readonly source: string;
  /** Kind of the record that the report reads from it. */
  readonly role: string;
  /** Public page of the record. */
  readonly address: string;
  readonly readAt: string;
  /** Texts by which the row is found on the page. */
  readonly find: readonly string[];
}
export interface CitedPage extends Cited {
  readonly title: string;
  /** Why the terms of its source allow showing it; null if it is not shown. */
  readonly shownUnder: string | null;
  /** Why it is not shown; null if it is. */
  readonly hiddenBecause: string | null;
}

function citedBy({ deal, distress, history }: ReportBody): Cited[] {
  const ofListing = ({ page_sha256: sha256, source, source_url: address, listing_id: id }: Listing, readAt: string) => {
    const find = [id, deal.address ?? ''].filter((text) => text !== '');
    return { sha256, source, role: 'listing', address, readAt, find };
  };
  return [
    ofListing(deal, deal.observed_at),
    ...history.map((version) => ofListing(version, version.version_last_seen)),
    ...[...distress.matches, ...distress.candidates].flatMap(({ kind, source_url: address, auction, signal }) => {
      const record = auction ?? signal;
      if (!record) return [];
      const { page_sha256: sha256, source, last_seen: readAt, parcel_id: parcel } = record;
      return [{ sha256, source, role: kind, address, readAt, find: parcel === null ? [] : [parcel] }];
    }),
  ];
}
type Listing = Pick<ReportBody['deal'], 'page_sha256' | 'source' | 'source_url' | 'listing_id'>;

/** Each page once, in the order of the report. */
export function citedPages(report: ReportBody, snapshot: Snapshot): CitedPage[] {
  const cited = [...new Map(citedBy(report).map((page) => [`${page.source} ${page.sha256}`, page])).values()];
  const sources = new Map(snapshot.all('sources').map((row) => [String(row['source']), row]));
  return cited.map((page) => {
    const row = sources.get(page.source);
    const allowed = row?.['terms_show_pages'] ?? null;
    // What a page with rows of several records says of the others is sold.
    const isList = snapshot.rows('SELECT 1 FROM list_pages WHERE page_sha256 = ?', page.sha256).length > 0;
    const noTerms = allowed === null ? 'the terms of the source do not allow it' : null;
    const hiddenBecause = isList ? 'it also lists other properties, whose records are sold' : noTerms;
    return {
      ...page,
      title: row === undefined ? page.source : String(row['title']),
      shownUnder: hiddenBecause === null ? String(allowed) : null,
      hiddenBecause,
    };
  });
}

/** Longest text and longest line shown, and lines before and after the first matching one. */
const [MAX_CHARACTERS, MAX_LINE, BEFORE, AFTER] = [16_000, 400, 4, 44];

/** The lines around the first one with one of the texts, each with whether it has one; none without a match. */
export function excerpt(text: string, find: readonly string[]) {
  const wanted = find.map((one) => one.toLowerCase());
  const lines = text.split('\n').map((line) => ({
    line: line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line,
    isHit: wanted.some((one) => line.toLowerCase().includes(one)),
  }));
  const first = lines.findIndex(({ isHit }) => isHit);
  return first === -1 ? [] : lines.slice(Math.max(0, first - BEFORE), first + AFTER);
}

function textHtml(text: string, find: readonly string[]): Piece {
  const lines = excerpt(text, find).map(({ line, isHit }) => [isHit ? html`<mark>${line}</mark>` : line, '\n']);
  const more = text.length - MAX_CHARACTERS;
  const rest = more > 0 && `\n… ${countText(more)} more characters in the download`;
  const cited = 'The lines that the report cites';
  return [
    lines.length > 0 && [h2(cited), code(cited, lines)],
    h2('Full text'),
    code('Text of the archived page', [text.slice(0, MAX_CHARACTERS), rest]),
  ];
}

export function archivedContent(cited: CitedPage, { bytes, text }: ArchivedPage, publicUrl: string): Html {
  const { sha256, title, address, readAt, shownUnder, find } = cited;
  const bytesPath = `${ARCHIVE_PATH}/${sha256}/bytes`;
  const size = countText(bytes.length);
  return html`${above('/report#pages', 'Example report')}
    <h1>Archived page</h1>
    <p class="lead">
      The text of a page of ${title}, which this service archived byte for byte. The page’s own scripts, styles and
      images are not loaded.
    </p>
    ${terms('page-facts', [
      ['Read', day(readAt)],
      ['Page of the record', externalLink(address, address)],
      ['SHA-256', html`<code>${sha256}</code>, verified`],
      ['Archived', html`${size} bytes as received. <a href="${bytesPath}" download>Download the bytes</a>`],
      ['Shown because', shownUnder],
    ])}
    ${text === null ? outcome('thin', 'No text to show: it is a file, or too large.') : textHtml(text, find)}
    <h2>Check it yourself</h2>
    <p>The downloaded bytes have the SHA-256 that every row from this page names.</p>
    ${code('Command to verify the bytes', `curl -s ${publicUrl}${bytesPath} | sha256sum`)}`;
}

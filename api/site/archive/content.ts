/** An archived page for people: source, hash, the cited lines, and the whole text. */
import { html, type Html, type Piece } from '../html.ts';
import { code, externalLink, terms } from '../layout.ts';
import { countText, day } from '../format.ts';
import { codingsOf, UNPACK } from '../../../lib/content_encoding.ts';
import { ArchiveFault, type PageArchive, type PageRead } from './page_archive.ts';
import { Parser } from 'htmlparser2';
import type { Snapshot } from '../../serving/open.ts';
import type { ReportBody } from '../../routes/report/report.ts';

/** Elements whose content no reader sees. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas']);
/** Elements that start no new line. */
const INLINE = new Set('a abbr b bdi cite code em i label mark q s small span strong sub sup time u'.split(' '));
/** Cells of a row stay on its line. */
const CELLS = new Set(['td', 'th']);

/** Deepest nesting. At each end tag the parser looks through all open elements: a depth of 5,000 costs 27 s. */
const MAX_DEPTH = 256;

class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

/** Lines of a page, in the order of its markup, up to the place where the nesting exceeds MAX_DEPTH. */
export function visibleText(page: string): string {
  const parts: string[] = [];
  let hidden = 0;
  let depth = 0;
  let isData = false;
  const parser = new Parser({
    onopentag(name, { type }) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new TooDeep();
      if (name === 'script' && hidden === 0 && type?.toLowerCase() === 'application/ld+json') isData = true;
      else if (HIDDEN.has(name)) hidden += 1;
      else if (!INLINE.has(name) && !CELLS.has(name)) parts.push('\n');
    },
    ontext(text) {
      if (hidden > 0) return;
      parts.push(isData ? text : text.replaceAll(/\s+/gu, ' '));
    },
    onclosetag(name) {
      depth -= 1;
      if (isData && name === 'script') {
        isData = false;
        parts.push('\n');
      } else if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
      else if (CELLS.has(name)) parts.push('\t');
      else if (!INLINE.has(name)) parts.push('\n');
    },
  });
  try {
    parser.write(page);
    parser.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** Largest body that a page may decode to. */
export const MAX_DECODED_BYTES = 8 * 1024 * 1024;

export interface ArchivedPage {
  readonly url: string;
  readonly observedAt: string;
  readonly contentType: string;
  /** Length of the archived bytes. */
  readonly bytes: number;
  /** Text of the page, or the reason why there is none. */
  readonly text: { readonly shown: string } | { readonly none: string };
}

/** The decoded body, or null if it is not encoded as its header states or exceeds the limit. */
async function decoded(stored: Uint8Array, header: string | undefined): Promise<Uint8Array | null> {
  let bytes = stored;
  for (const coding of codingsOf(header)) {
    const unpack = UNPACK.get(coding);
    if (!unpack) return null;
    try {
      bytes = await unpack(bytes, { maxOutputLength: MAX_DECODED_BYTES });
    } catch {
      return null;
    }
  }
  return bytes.length > MAX_DECODED_BYTES ? null : bytes;
}

/** Media types whose body is text. */
const TEXTUAL = /^(?:text\/|application\/(?:json|xml|[a-z.+-]*\+(?:json|xml))\b)/iu;

function textOf(body: Uint8Array | null, contentType: string): ArchivedPage['text'] {
  if (body === null) return { none: `The body cannot be decoded, or exceeds ${MAX_DECODED_BYTES / 2 ** 20} MiB.` };
  if (!TEXTUAL.test(contentType)) return { none: 'The body is not text, for example a workbook.' };
  const text = new TextDecoder().decode(body);
  return { shown: /html|xml/iu.test(contentType) ? visibleText(text) : text };
}

/** A page as its source read it. @throws ArchiveFault if it is not there, or its bytes have another hash */
export async function readArchivedPage(archive: PageArchive, page: PageRead): Promise<ArchivedPage> {
  const stored = await archive.bytes(page.sha256);
  const request = await archive.request(page);
  if (!request)
    throw new ArchiveFault('missing', 'The archive of this server has no request that returned these bytes.');
  const { 'content-type': contentType = '', 'content-encoding': encoding } = request.responseHeaders;
  return {
    url: request.url,
    observedAt: request.observedAt,
    contentType,
    bytes: stored.length,
    text: textOf(await decoded(stored, encoding), contentType),
  };
}

/** Longest text shown. */
const MAX_CHARACTERS = 16_000;
/** Longest line shown of the excerpt. */
const MAX_LINE = 400;
/** Lines shown before and after the first matching line. */
const [BEFORE, AFTER] = [4, 44];

/** The lines around the first one with one of the texts, each with whether it has one; none without a match. */
export function excerpt(
  text: string,
  find: readonly string[],
): readonly { readonly line: string; readonly isHit: boolean }[] {
  const lines = text.split('\n');
  const wanted = find.map((one) => one.toLowerCase());
  const isHit = (line: string): boolean => wanted.some((one) => line.toLowerCase().includes(one));
  const first = lines.findIndex(isHit);
  if (first === -1) return [];
  return lines.slice(Math.max(0, first - BEFORE), first + AFTER).map((line) => ({
    line: line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line,
    isHit: isHit(line),
  }));
}

function excerptOf(text: string, find: readonly string[]): Piece {
  const lines = excerpt(text, find).map(({ line, isHit }) => [isHit ? html`<mark>${line}</mark>` : line, '\n']);
  return (
    lines.length > 0 &&
    html`<h2>The lines that the report cites</h2>
      ${code('The lines that the report cites', lines)}`
  );
}

function shortened(text: string): string {
  const more = text.length - MAX_CHARACTERS;
  return more > 0 ? `${text.slice(0, MAX_CHARACTERS)}\n… ${countText(more)} more characters in the download` : text;
}

export function archivedContent(
  { sha256, title, address, shownUnder, find }: CitedPage,
  page: ArchivedPage,
  publicUrl: string,
): Html {
  const { text } = page;
  const bytesPath = `${ARCHIVE_PATH}/${sha256}/bytes`;
  return html`<p class="eyebrow"><a href="/report#pages">Example report</a></p>
    <h1>Archived page</h1>
    <p class="lead">
      This is the text of a page of ${title}, which this service archived byte for byte. The page’s own scripts, styles
      and images are not loaded.
    </p>
    ${terms('page-facts', [
      ['Read', day(page.observedAt)],
      ['From', externalLink(page.url, page.url)],
      ['Page of the record', externalLink(address, address)],
      ['SHA-256', html`<code>${sha256}</code>, verified`],
      [
        'Archived',
        html`${countText(page.bytes)} bytes as received,
          ${page.contentType === '' ? 'without a content type' : page.contentType}.
          <a href="${bytesPath}" download>Download the bytes</a>`,
      ],
      ['Shown because', shownUnder],
    ])}
    ${
      'none' in text
        ? html`<p class="outcome thin">No text to show. ${text.none}</p>`
        : html`${excerptOf(text.shown, find)}
            <h2>Full text</h2>
            ${code('Text of the archived page', shortened(text.shown))}`
    }
    <h2>Check it yourself</h2>
    <p>The downloaded bytes have the SHA-256 that every row from this page names.</p>
    ${code('Command to verify the bytes', `curl -s ${publicUrl}${bytesPath} | sha256sum`)}`;
}

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
  /** Why the terms of its source allow showing it; null if it is not shown. */
  readonly shownUnder: string | null;
  /** Why it is not shown; null if it is. */
  readonly hiddenBecause: string | null;
  /** Texts by which the row is found on the page. */
  readonly find: readonly string[];
}

type Cited = Omit<CitedPage, 'title' | 'shownUnder' | 'hiddenBecause'>;

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
    ...history.map((version) => ({
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

/** Whether a page has rows of several records: what it says of the others is sold. */
const isList = (snapshot: Snapshot, page: string): boolean =>
  snapshot.rows('SELECT 1 FROM list_pages WHERE page_sha256 = ?', page).length > 0;

/** Each page once, in the order of the report. */
export function citedPages(report: ReportBody, snapshot: Snapshot): CitedPage[] {
  const cited = [...new Map(citedBy(report).map((page) => [`${page.source} ${page.sha256}`, page])).values()];
  const sources = new Map(snapshot.all('sources').map((row) => [String(row['source']), row]));
  return cited.map((page) => {
    const row = sources.get(page.source);
    const shownUnder = row?.['terms_show_pages'];
    const hiddenBecause = isList(snapshot, page.sha256)
      ? 'it also lists other properties, whose records are sold'
      : typeof shownUnder === 'string'
        ? null
        : 'the terms of the source do not allow it';
    return {
      ...page,
      title: row === undefined ? page.source : String(row['title']),
      shownUnder: hiddenBecause === null ? String(shownUnder) : null,
      hiddenBecause,
    };
  });
}

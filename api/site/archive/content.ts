/** An archived page for people: source, hash, the cited lines, and the whole text. */
import { html, type Html, type Piece } from '../html.ts';
import { code, externalLink } from '../layout.ts';
import { countText, day } from '../format.ts';
import type { ArchivedPage } from './archived_page.ts';
import { ARCHIVE_PATH, type CitedPage } from './cited_pages.ts';

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
  const lines = excerpt(text, find);
  return (
    lines.length > 0 &&
    html`<h2>The lines that the report cites</h2>
      <pre class="code" tabindex="0" role="region" aria-label="The lines that the report cites"><code>${lines.map(
        ({ line, isHit }) => html`${isHit ? html`<mark>${line}</mark>` : line}${'\n'}`,
      )}</code></pre>`
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
  return html`<p class="crumbs"><a href="/report#pages">Example report</a></p>
    <h1>Archived page</h1>
    <p class="lead">
      This is the text of a page of ${title}, which this service archived byte for byte. The page’s own scripts, styles
      and images are not loaded.
    </p>
    <dl class="page-facts">
      <div>
        <dt>Read</dt>
        <dd>${day(page.observedAt)}</dd>
      </div>
      <div>
        <dt>From</dt>
        <dd>${externalLink(page.url, page.url)}</dd>
      </div>
      <div>
        <dt>Page of the record</dt>
        <dd>${externalLink(address, address)}</dd>
      </div>
      <div>
        <dt>SHA-256</dt>
        <dd><code>${sha256}</code>, verified</dd>
      </div>
      <div>
        <dt>Archived</dt>
        <dd>
          ${countText(page.bytes)} bytes as received,
          ${page.contentType === '' ? 'without a content type' : page.contentType}.
          <a href="${bytesPath}" download>Download the bytes</a>
        </dd>
      </div>
      <div>
        <dt>Shown because</dt>
        <dd>${shownUnder}</dd>
      </div>
    </dl>
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

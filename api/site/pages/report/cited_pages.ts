/** The pages that a report cites: source, time, hash, and a link to the archived page where its terms allow it. */
import { ARCHIVE_PATH, type CitedPage } from '../../archive/cited_pages.ts';
import { html, type Html } from '../../html.ts';
import { cardTable, externalLink } from '../../layout.ts';
import { day } from '../../format.ts';
import { RECORDS } from './words.ts';

/** Characters of a hash that are unique within a report. */
const SHORT = 12;

export const pagesBehind = (pages: readonly CitedPage[]): Html =>
  html`<h2 id="pages">Pages behind this report</h2>
    <p>
      Each row names the page it was read from, by the SHA-256 of its archived bytes. The site shows an archived page
      where the terms of its source allow that.
    </p>
    ${cardTable(
      'Pages that the report cites',
      [{ label: 'Record' }, { label: 'Source' }, { label: 'Read' }, { label: 'SHA-256' }, { label: 'Archived page' }],
      pages.map(({ role, title, address, readAt, sha256, shownUnder }) => [
        RECORDS[role] ?? role,
        externalLink(address, title),
        day(readAt),
        html`<code title="${sha256}">${sha256.slice(0, SHORT)}…</code>`,
        shownUnder === null
          ? 'not shown: the terms of the source do not allow it'
          : html`<a href="${ARCHIVE_PATH}/${sha256}">View the archived page</a>`,
      ]),
    )}`;

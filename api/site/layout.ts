/** The frame of every page (title, navigation, notice, footer), and shared elements. */
import { PREVIEW_PATH, PREVIEW_SIZE, type Assets } from './assets.ts';
import { html, isWebAddress, type Html, type Piece } from './html.ts';
import type { Page } from './page.ts';

interface MenuLink {
  readonly path: string;
  readonly label: string;
}

interface Navigation {
  readonly main: readonly MenuLink[];
  readonly all: readonly MenuLink[];
  readonly columns: readonly { readonly title: string; readonly links: readonly MenuLink[] }[];
}

const FOR_PROGRAMS: readonly MenuLink[] = [
  { path: '/openapi.json', label: 'OpenAPI' },
  { path: '/llms.txt', label: 'llms.txt' },
  { path: '/api/meta', label: '/api/meta' },
  { path: '/health', label: 'Health' },
];

/** Pages of the columns of the footer. */
const COLUMNS: readonly (readonly [title: string, paths: readonly string[]])[] = [
  ['Data', ['/deals', '/metros', '/coverage', '/report', '/status']],
  ['Buy', ['/prices', '/build']],
  ['Method', ['/scores', '/reference']],
];

/** Pages that the header shows on a wide screen. */
const MAIN: ReadonlySet<string> = new Set([
  '/deals',
  '/metros',
  '/coverage',
  '/prices',
  '/build',
  '/report',
  '/reference',
]);

export function navigationOf(pages: readonly Page[]): Navigation {
  const all = pages.flatMap(({ path, label }) => (label === undefined ? [] : [{ path, label }]));
  const columns = COLUMNS.map(([title, paths]) => ({ title, links: all.filter(({ path }) => paths.includes(path)) }));
  return {
    all,
    main: all.filter(({ path }) => MAIN.has(path)),
    columns: [...columns, { title: 'For programs', links: FOR_PROGRAMS }],
  };
}

export interface Notice {
  /** Two or three words, always shown. */
  readonly headline: string;
  readonly text: string;
}

export interface Frame {
  readonly title: string;
  readonly about: string;
  readonly path: string;
  /** Public URL of the server, without a trailing slash. */
  readonly publicUrl: string;
  readonly navigation: Navigation;
  /** Shown at the top if the data are made up or the money is test money. */
  readonly notices: readonly Notice[];
  readonly assets: Omit<Assets, 'files'>;
  /** Whether it has a panel to pay with. */
  readonly pays: boolean;
  /** Last line of the page. */
  readonly foot: Piece;
}

const LOGO = html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
  <path class="logo-a" d="M3 21V9l6-5 6 5v12z"></path>
  <path class="logo-b" d="M17 21V12h4v9z"></path>
</svg>`;

const menuItems = (links: readonly MenuLink[], current: string): Html =>
  html`<ul>
    ${links.map(
      ({ path, label }) =>
        html`<li>
          <a
            href="${path}"
            ${
              path === current
                ? html` aria-current="page"`
                : path !== '/' && current.startsWith(`${path}/`) && html` aria-current="true"`
            }
            >${label}</a
          >
        </li>`,
    )}
  </ul>`;

/** One row: the main pages on a wide screen, all pages behind a button on a narrow one, and the search. */
const header = ({ navigation: { main, all }, path }: Frame): Html =>
  html`<header class="top">
    <div>
      <a class="brand" href="/">${LOGO}<span>Dealfeed</span></a>
      <nav class="bar-menu" aria-label="Main pages">${menuItems(main, path)}</nav>
      <form class="search" method="get" action="/search" role="search">
        <input type="search" name="q" aria-label="Find a place or a free deal" placeholder="City, ZIP or street" />
      </form>
      <details class="menu">
        <summary>Menu</summary>
        <nav aria-label="Pages">${menuItems(all, path)}</nav>
      </details>
    </div>
  </header>`;

/** One line with the headlines; the texts are behind it. */
const notice = ({ notices }: Frame): Html =>
  html`<aside aria-label="Notice">
    <details class="notice">
      <summary>${notices.map(({ headline }) => headline).join('. ')}.</summary>
      ${notices.map(({ text }) => html`<p>${text}</p>`)}
    </details>
  </aside>`;

const footer = ({ navigation: { columns }, foot }: Frame): Html =>
  html`<footer class="foot">
    <div>
      <div class="columns">
        ${columns.map(
          ({ title, links }) =>
            html`<nav aria-label="${title}">
              <h2>${title}</h2>
              ${menuItems(links, '')}
            </nav>`,
        )}
      </div>
      <p class="small">${foot}</p>
    </div>
  </footer>`;

/** The preview of links to the page (Open Graph). An error page has no address of its own. */
const preview = ({ title, about, path, publicUrl }: Frame): Html =>
  html`<meta property="og:type" content="website" />
    <meta property="og:site_name" content="Dealfeed" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${about}" />
    ${path !== '' && html`<meta property="og:url" content="${publicUrl}${path}" />`}
    <meta property="og:image" content="${publicUrl}${PREVIEW_PATH}" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="${PREVIEW_SIZE.width}" />
    <meta property="og:image:height" content="${PREVIEW_SIZE.height}" />
    <meta
      property="og:image:alt"
      content="Dealfeed: small apartment buildings for sale, underwritten from public records"
    />
    <meta name="twitter:card" content="summary_large_image" />`;

/** The complete HTML document. */
export const renderDocument = (frame: Frame, content: Piece): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${frame.title}</title>
        <meta name="description" content="${frame.about}" />
        <meta name="color-scheme" content="light dark" />
        <link rel="preload" href="${frame.assets.font}" as="font" type="font/woff2" crossorigin />
        <link rel="stylesheet" href="${frame.assets.style}" />
        ${preview(frame)}
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
        <script src="${frame.assets.script}" defer></script>
        ${frame.pays && html`<script src="${frame.assets.payScript}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${frame.notices.length > 0 && notice(frame)} ${header(frame)}
        <main id="content" tabindex="-1">${content}</main>
        ${footer(frame)}
      </body>
    </html> `;

/** A link to another site, without a referrer; plain text if the address is no http URL. */
export const externalLink = (address: string, label: Piece): Html =>
  isWebAddress(address) ? html`<a href="${address}" rel="noreferrer nofollow">${label}</a>` : html`${label}`;

/** Anything that scrolls sideways on a narrow screen, also by keyboard. */
export const wideTable = (label: string, table: Html): Html =>
  html`<div class="wide" role="region" aria-label="${label}" tabindex="0">${table}</div>`;

export interface TableColumn {
  readonly label: string;
  /** A column of figures, set to the right. */
  readonly isNumeric?: boolean;
}
type Columns = readonly (string | TableColumn)[];
type Rows = readonly (readonly Piece[])[];

/** A column of figures. */
export const num = (label: string): TableColumn => ({ label, isNumeric: true });

/**
 * The first cell of a row is its header. Caption '' is none. Rows of `cards` have explicit roles, as browsers drop
 * table semantics when a table is laid out as blocks.
 */
function tableOf(kind: 'plain' | 'cards', caption: Piece, columns: Columns, rows: Rows): Html {
  const known = columns.map((column) => (typeof column === 'string' ? { label: column } : column));
  const role = (name: string): Html | '' => (kind === 'cards' ? html` role="${name}"` : '');
  const numClass = (i: number): Html | '' => (known[i]?.isNumeric === true ? html` class="num"` : '');
  const cellOf = (cell: Piece, i: number): Html =>
    i === 0
      ? html`<th scope="row" ${role('rowheader')}>${cell}</th>`
      : html`<td ${role('cell')} ${kind === 'cards' && html` data-label="${known[i]?.label ?? ''}"`} ${numClass(i)}>
          ${cell}
        </td>`;
  return html`<table ${kind === 'cards' && html` class="cards"`} ${role('table')}>
    ${
      caption !== '' &&
      html`<caption>
        ${caption}
      </caption>`
    }
    <thead ${role('rowgroup')}>
      <tr ${role('row')}>
        ${known.map(({ label }, i) => html`<th scope="col" ${role('columnheader')} ${numClass(i)}>${label}</th>`)}
      </tr>
    </thead>
    <tbody ${role('rowgroup')}>
      ${rows.map(
        (cells) =>
          html`<tr ${role('row')}>
            ${cells.map(cellOf)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A table that scrolls sideways on a narrow screen. */
export const plainTable = (caption: Piece, label: string, columns: Columns, rows: Rows): Html =>
  wideTable(label, tableOf('plain', caption, columns, rows));

/** A table whose rows become cards on a narrow screen. */
export const cardTable = (caption: Piece, columns: Columns, rows: Rows): Html =>
  tableOf('cards', caption, columns, rows);

export interface Figure {
  readonly label: Piece;
  readonly value: Piece;
  readonly note?: Piece;
}

/** The row of figures at the top of a page. */
export const figures = (items: readonly Figure[]): Html =>
  html`<dl class="figures">
    ${items.map(
      ({ label, value, note }) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}${note === undefined ? '' : html`<small>${note}</small>`}</dd>
        </div>`,
    )}
  </dl>`;

/** Terms, each with what is said of it and an anchor. `pairs` has figures at the right, the others have text. */
export const terms = (kind: 'pairs' | 'page-facts' | 'formulas', rows: Rows): Html =>
  html`<dl class="${kind}">
    ${rows.map(
      ([term, about, anchor]) =>
        html`<div ${anchor !== undefined && html` id="${anchor}"`}>
          <dt>${term}</dt>
          <dd>${about}</dd>
        </div>`,
    )}
  </dl>`;

export type Tone = 'good' | 'thin' | 'bad' | 'plain';
export const tag = (tone: Tone, text: Piece): Html => html`<span class="tag ${tone}">${text}</span>`;

/** A second line of a cell, smaller. */
export const sub = (...text: readonly Piece[]): Html => html`<span class="sub">${text}</span>`;

/** What is rarely read, behind a line. */
export const fold = (summary: Piece, ...content: readonly Piece[]): Html =>
  html`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`;

/** Text to copy: code, a URL, a command. With JavaScript it has a button that copies it. */
export const code = (label: string, text: Piece): Html =>
  html`<figure class="code-box">
    <figcaption>${label}</figcaption>
    <pre class="code" tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>
  </figure>`;

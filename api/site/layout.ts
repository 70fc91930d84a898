/** The frame of every page: title, navigation, notice, footer. */
import { PREVIEW_PATH, PREVIEW_SIZE, type Assets } from './assets.ts';
import { element, html, type Html, type Piece } from './html.ts';
import type { Page } from './page.ts';

type MenuLinks = Readonly<Record<string, string>>;

const FOR_PROGRAMS: MenuLinks = {
  '/openapi.json': 'OpenAPI',
  '/llms.txt': 'llms.txt',
  '/api/meta': '/api/meta',
  '/health': 'Health',
};

/** Pages of the columns of the footer. */
const COLUMNS = {
  Data: ['/deals', '/metros', '/coverage', '/report', '/status'],
  Buy: ['/prices', '/build'],
  Method: ['/scores', '/reference'],
};

/** Pages that are in the menu, but not in the header of a wide screen. */
const MENU_ONLY = ['/scores', '/status'];

export interface Notice {
  /** Two or three words, always shown. */
  readonly headline: string;
  readonly text: string;
}

export interface Frame extends Pick<Page, 'title' | 'about' | 'path'> {
  /** Public URL of the server, without a trailing slash. */
  readonly publicUrl: string;
  readonly pages: readonly Page[];
  /** Shown at the top if the data are made up or the money is test money. */
  readonly notices: readonly Notice[];
  readonly assets: Omit<Assets, 'files'>;
  /** Last line of the page. */
  readonly foot: Piece;
}

const LOGO = html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
  <path class="logo-a" d="M3 21V9l6-5 6 5v12z"></path>
  <path class="logo-b" d="M17 21V12h4v9z"></path>
</svg>`;

function menu(label: string, links: MenuLinks, current = '', heading?: string): Html {
  const items = Object.entries(links).map(([path, text]) => {
    const isWithin = current.startsWith(`${path}/`) && 'true';
    return html`<li>${element('a', { href: path, 'aria-current': path === current ? 'page' : isWithin }, text)}</li>`;
  });
  return html`<nav aria-label="${label}">
    ${heading !== undefined && html`<h2>${heading}</h2>`}
    <ul>
      ${items}
    </ul>
  </nav>`;
}

const menuOf = (pages: readonly Page[]): MenuLinks =>
  Object.fromEntries(pages.flatMap(({ path, label }) => (label === undefined ? [] : [[path, label]])));

/** One row: the main pages on a wide screen, all pages behind a button on a narrow one, and the search. */
function header({ pages, path }: Frame): Html {
  const main = menuOf(pages.filter((page) => !MENU_ONLY.includes(page.path)));
  return html`<header class="top">
    <div>
      <a class="brand" href="/">${LOGO}<span>Dealfeed</span></a>
      <div class="bar-menu">${menu('Main pages', main, path)}</div>
      <form class="search" method="get" action="/search" role="search">
        <input type="search" name="q" aria-label="Find a place or a free deal" placeholder="City, ZIP or street" />
      </form>
      <details class="menu">
        <summary>Menu</summary>
        ${menu('Pages', menuOf(pages), path)}
      </details>
    </div>
  </header>`;
}

/** One line with the headlines; the texts are behind it. */
const notice = ({ notices }: Frame): Html =>
  html`<aside aria-label="Notice">
    <details class="notice">
      <summary>${notices.map(({ headline }) => headline).join('. ')}.</summary>
      ${notices.map(({ text }) => html`<p>${text}</p>`)}
    </details>
  </aside>`;

function footer({ pages, foot }: Frame): Html {
  const columns = Object.entries(COLUMNS).map(([title, paths]) =>
    menu(title, menuOf(pages.filter(({ path }) => paths.includes(path))), '', title),
  );
  return html`<footer class="foot">
    <div>
      <div class="columns">${columns} ${menu('For programs', FOR_PROGRAMS, '', 'For programs')}</div>
      <p class="small">${foot}</p>
    </div>
  </footer>`;
}

/** The preview of links to the page (Open Graph). An error page has no address of its own. */
function preview({ title, about, path, publicUrl }: Frame): Html[] {
  const properties = {
    type: 'website',
    site_name: 'Dealfeed',
    title,
    description: about,
    ...(path !== '' && { url: publicUrl + path }),
    image: publicUrl + PREVIEW_PATH,
    'image:type': 'image/png',
    'image:width': PREVIEW_SIZE.width,
    'image:height': PREVIEW_SIZE.height,
    'image:alt': 'Dealfeed: small apartment buildings for sale, underwritten from public records',
  };
  return Object.entries(properties).map(([name, content]) => element('meta', { property: `og:${name}`, content }));
}

/** The complete HTML document. */
export function renderDocument(frame: Frame, content: Piece): string {
  const { assets, notices } = frame;
  const main = html`<main id="content" tabindex="-1">${content}</main>`;
  const pays = main.text.includes(' data-pay ');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${frame.title}</title>
        <meta name="description" content="${frame.about}" />
        <meta name="color-scheme" content="light dark" />
        <link rel="preload" href="${assets.font}" as="font" type="font/woff2" crossorigin />
        <link rel="stylesheet" href="${assets.style}" />
        ${preview(frame)}
        <meta name="twitter:card" content="summary_large_image" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="service-desc" href="/openapi.json" type="application/json" />
        <script src="${assets.script}" defer></script>
        ${pays && html`<script src="${assets.payScript}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${notices.length > 0 && notice(frame)} ${header(frame)} ${main} ${footer(frame)}
      </body>
    </html> `.text;
}

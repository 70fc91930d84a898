/** The frame of the reference's pages: search, sidebar, table of contents, and links to the neighboring pages. */
import type { Route } from '../../../routes/define.ts';
import { html, type Html, type Piece } from '../../html.ts';
import type { PageContext } from '../../page.ts';
import { modelOf } from './model.ts';
import { ENUMS_PATH, ERRORS_PATH, LISTS_PATH, RECEIPTS_PATH, REFERENCE, SEARCH_PATH } from './paths.ts';
import { RECORDS } from './records.ts';

interface SidebarLink {
  readonly href: string;
  readonly label: string;
  /** Price of an endpoint. */
  readonly price?: string;
}
interface SidebarGroup {
  readonly title: string;
  readonly links: readonly SidebarLink[];
}

export interface Section {
  readonly id: string;
  readonly title: string;
}

export interface ReferencePage {
  readonly path: string;
  /** Sections of the page, if it has several. */
  readonly toc: readonly Section[];
  /** Text in the search field. */
  readonly query?: string;
  /** Content for the right column of a wide screen; on others it follows the lead. */
  readonly sideColumn?: Html;
}

/** The guides of the reference. Their pages have these titles. */
export const GUIDES = {
  overview: { href: REFERENCE, label: 'Overview and paying' },
  errors: { href: ERRORS_PATH, label: 'Errors and limits' },
  lists: { href: LISTS_PATH, label: 'Lists, CSV and changes' },
  receipts: { href: RECEIPTS_PATH, label: 'Receipts' },
} as const satisfies Record<string, SidebarLink>;

const partLabel = (record: string, groups: readonly (string | undefined)[]): string =>
  groups[0] === undefined ? record : `${record}: ${groups.join(', ')}`;

const groupsOf = (routes: readonly Route[]): readonly SidebarGroup[] => [
  { title: 'Guide', links: Object.values(GUIDES) },
  ...modelOf(routes).groups.map(({ title, endpoints }) => ({
    title,
    links: endpoints.map(({ path, href, price }) => ({ href, label: path, price })),
  })),
  {
    title: 'Records',
    links: [
      ...RECORDS.flatMap(({ name, parts }) =>
        parts.map(({ path, sections }) => ({
          href: path,
          label: partLabel(
            name,
            sections.map(({ group }) => group),
          ),
        })),
      ),
      { href: ENUMS_PATH, label: 'Enums' },
    ],
  },
];

const link = ({ href, label, price }: SidebarLink, current: string): Html =>
  html`<li>
    <a href="${href}" ${href === current ? html` aria-current="page"` : ''}
      ><span>${label}</span>${price !== undefined && html`<small>${price}</small>`}</a
    >
  </li>`;

const links = (groups: readonly SidebarGroup[], current: string): Html =>
  html`<ul>
    ${groups.map(
      ({ title, links: of }) =>
        html`<li>
          <strong>${title}</strong>
          <ul>
            ${of.map((each) => link(each, current))}
          </ul>
        </li>`,
    )}
  </ul>`;

/** Works without JavaScript; with it, results appear below while the reader types. */
const searchForm = (query: string): Html =>
  html`<form class="ref-search" role="search" method="get" action="${SEARCH_PATH}" data-search="#found">
    <label class="sr" for="ref-q">Search endpoints, parameters, fields and values</label>
    <input
      id="ref-q"
      type="search"
      name="q"
      value="${query}"
      placeholder="Search"
      autocomplete="off"
      spellcheck="false"
      maxlength="100"
    /><button type="submit">Search</button>
  </form>`;

function neighbors(groups: readonly SidebarGroup[], path: string): Piece {
  const all = groups.flatMap((group) => group.links);
  const at = all.findIndex(({ href }) => href === path);
  const before = all[at - 1];
  const next = all[at + 1];
  return (
    at >= 0 &&
    html`<nav class="ref-next" aria-label="Neighboring pages">
      ${before && html`<a rel="prev" href="${before.href}"><small>Previous</small>${before.label}</a>`}
      ${next && html`<a rel="next" href="${next.href}"><small>Next</small>${next.label}</a>`}
    </nav>`
  );
}

/** A page of the reference. `lead` has the heading; `content` the sections. */
export function referenceFrame(
  { site }: Pick<PageContext, 'site'>,
  { path, toc, query = '', sideColumn }: ReferencePage,
  { lead, content }: { readonly lead: Html; readonly content: Piece },
): Html {
  const groups = groupsOf(site.routes);
  return html`<div class="ref">
    <div class="ref-side">
      <a class="skip" href="#article">Skip the list of pages</a>
      ${searchForm(query)} ${path !== SEARCH_PATH && html`<div id="found" class="ref-found" aria-live="polite"></div>`}
      <details class="ref-menu">
        <summary>All pages and prices</summary>
        <nav aria-label="Reference">${links(groups, path)}</nav>
      </details>
      <nav class="ref-nav" aria-label="Reference">${links(groups, path)}</nav>
    </div>
    <article id="article" class="${sideColumn ? 'ref-page ref-two' : 'ref-page'}">
      <header>
        ${lead}
        ${
          toc.length > 1 &&
          html`<nav class="ref-toc" aria-label="On this page">
            <ul>
              ${toc.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
            </ul>
          </nav>`
        }
      </header>
      ${sideColumn && html`<div class="ref-beside">${sideColumn}</div>`}
      <div class="ref-text">${content}</div>
      ${neighbors(groups, path)}
    </article>
  </div>`;
}

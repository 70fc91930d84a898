/** Menus of the site: the main pages, all pages, and the columns of the footer. */
import { API_CATALOG_PATH } from '../docs/well_known.ts';
import type { Page } from './page.ts';

export interface MenuLink {
  readonly path: string;
  readonly label: string;
}

export interface Navigation {
  readonly main: readonly MenuLink[];
  readonly all: readonly MenuLink[];
  readonly columns: readonly { readonly title: string; readonly links: readonly MenuLink[] }[];
}

const PURCHASE: MenuLink = { path: '/sandbox/buy', label: 'Test purchase' };

const FOR_PROGRAMS: readonly MenuLink[] = [
  { path: '/openapi.json', label: 'OpenAPI' },
  { path: '/llms.txt', label: 'llms.txt' },
  { path: API_CATALOG_PATH, label: 'API catalog' },
  { path: '/api/meta', label: '/api/meta' },
  { path: '/health', label: 'Health' },
];

/** Pages of the columns of the footer. */
const COLUMNS: readonly (readonly [title: string, paths: readonly string[]])[] = [
  ['Data', ['/deals', '/metros', '/coverage', '/report', '/status']],
  ['Buy', ['/prices', '/build', PURCHASE.path]],
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

/** @param purchase whether the server has the sandbox's test purchase */
export function navigationOf(pages: readonly Page[], purchase: boolean): Navigation {
  const all = [
    ...pages.flatMap(({ path, label }) => (label === undefined ? [] : [{ path, label }])),
    ...(purchase ? [PURCHASE] : []),
  ];
  const columns = COLUMNS.map(([title, paths]) => ({ title, links: all.filter(({ path }) => paths.includes(path)) }));
  return {
    all,
    main: all.filter(({ path }) => MAIN.has(path) || path === PURCHASE.path),
    columns: [...columns, { title: 'For programs', links: FOR_PROGRAMS }],
  };
}

/** The pages of the site, in the order of the navigation. */
import type { Route } from '../../routes/define.ts';
import type { Page } from '../page.ts';
import { build } from './build/build.ts';
import { coverage } from './coverage.ts';
import { deals } from './deals.ts';
import { home } from './home.ts';
import { METRO_PAGES, metros } from './metros.ts';
import { prices } from './prices.ts';
import { overviewPage, referencePages } from './reference.ts';
import { report } from './report/report.ts';
import { scores } from './scores.ts';
import { search } from './search.ts';
import { status } from './status.ts';

export const PAGES: readonly Page[] = [
  home,
  deals,
  metros,
  coverage,
  prices,
  build,
  report,
  scores,
  overviewPage,
  status,
  search,
];

/** These pages, those of the metros, and those of the reference for these routes. */
export const allPages = (routes: readonly Route[]): readonly Page[] => [
  ...PAGES,
  ...METRO_PAGES,
  ...referencePages(routes),
];

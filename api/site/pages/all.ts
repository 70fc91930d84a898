/** The pages of the site, in the order of the navigation. */
import type { Page } from '../page.ts';
import { build } from './build.ts';
import { coverage } from './coverage.ts';
import { deals } from './deals.ts';
import { home } from './home.ts';
import { METRO_PAGES } from './metro.ts';
import { metros } from './metros.ts';
import { prices } from './prices.ts';
import { reference } from './reference.ts';
import { report } from './report.ts';
import { scores } from './scores.ts';
import { status } from './status.ts';

export const PAGES: readonly Page[] = [home, deals, metros, coverage, prices, build, report, scores, reference, status];

/** With the pages of the metros. */
export const ALL_PAGES: readonly Page[] = [...PAGES, ...METRO_PAGES];

/** The pages of the site, in the order of the navigation. */
import type { Page } from '../page.ts';
import { build } from './build.ts';
import { coverage } from './coverage.ts';
import { home } from './home.ts';
import { prices } from './prices.ts';
import { reference } from './reference.ts';
import { report } from './report.ts';
import { scores } from './scores.ts';
import { status } from './status.ts';

export const PAGES: readonly Page[] = [home, coverage, prices, build, report, scores, reference, status];

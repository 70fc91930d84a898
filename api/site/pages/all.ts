/** The pages of the site, in the order of the navigation. */
import type { Page } from '../page.ts';
import { home } from './home.ts';

export const PAGES: readonly Page[] = [home];

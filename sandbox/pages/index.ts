/** The sites of the sandbox, by the real host that each one plays. */
import type { SitePages } from '../http.ts';
import { colorado } from './colorado.ts';
import { heartland } from './heartland.ts';

export const sites: ReadonlyMap<string, SitePages> = new Map<string, SitePages>([
  ['www.heartland-multifamily.example', heartland],
  ['data.colorado.gov', colorado],
]);

/** The twenty metros with listings, by the reference table metro_counties. Any other place is of another market. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

const FILE = new URL('./reference/metro_counties.csv', import.meta.url);

const names = parse<Record<string, string>>(readFileSync(FILE), { columns: true }).flatMap(({ metro, has_listings }) =>
  metro !== undefined && has_listings === 'true' ? [metro] : [],
);
const [first = '', ...others] = new Set(names);

/** Names of the metros, in alphabetical order. */
export const METRO_NAMES: readonly [string, ...string[]] = [first, ...others];

/** A place in none of them: the reason of a null `metro`, and a value of the filter. */
export const OTHER_MARKET = 'other_market';

/** Example calls, which match records of the sandbox's world, and their answers. They depend on no snapshot. */
import { readFileSync } from 'node:fs';
import type { Route } from '../routes/define.ts';

type Call = Readonly<Record<string, string | number>>;

/** Path parameters of the calls. */
const PATH_PARAMS: Readonly<Record<string, string>> = {
  id: 'e261bfc8-055c-5b62-a27c-8744999ffc70',
  list: 'signals',
};

/** Parameters of the example call by path, without the prefix of a register. Default: none. */
const CALLS: Readonly<Record<string, Call>> = {
  '/api/coverage': { metro: 'Cleveland' },
  '/api/count/:list': { county: 'Hamilton' },
  '/api/places': { q: 'Cleveland', limit: 5 },
  '/feeds/:list.json': { county: 'Hamilton' },
  '/feeds/:list.atom': { county: 'Hamilton' },
  '/api/lookup': { address: '1849 120th St, East Cleveland, OH' },
  '/api/deals': { state: 'OH', min_cap: 7, limit: 5 },
  '/api/deals/basic': { state: 'OH', limit: 5 },
  '/api/deals/hot': { limit: 5 },
  '/api/signals': { county: 'Hamilton', signal_type: 'tax_delinquent', limit: 5 },
  '/api/auctions': { county: 'Montgomery', limit: 5 },
  '/api/leads': { county: 'Cuyahoga', min_score: 50, limit: 5 },
  '/api/leads/exclusive': { county: 'Cuyahoga' },
  '/api/owners': { min_properties: 2, limit: 5 },
  '/api/filings/recent': { entity_type: 'domestic_llc', limit: 5 },
  '/api/filings': { entity_type: 'domestic_llc', limit: 5 },
};

/** Parameters of the example call of a route. */
export const exampleCall = ({ path }: Pick<Route, 'path'>): Call =>
  CALLS[path.replace(/^\/(?:ohio|colorado)(?=\/)/u, '')] ?? {};

/** URL of the example call of a route. */
export function exampleUrl(route: Pick<Route, 'path'>, publicUrl: string): string {
  const path = route.path.replaceAll(/:(\w+)/gu, (_, name: string) => PATH_PARAMS[name] ?? '');
  const query = Object.entries(exampleCall(route)).map(([name, value]): [string, string] => [name, String(value)]);
  return `${publicUrl}${path}${query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`}`;
}

/** Shortened answers of the sandbox by path; `node --test --test-update-snapshots` of their test writes them. */
const ANSWERS = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Record<string, unknown>;

/** A shortened answer to the example call of a priced route: an object, or text of a file. */
export const answerExample = ({ path }: Pick<Route, 'path'>): unknown => ANSWERS[path];

/**
 * The Census Bureau's data API with made-up medians: of the metropolitan areas and counties of the world's HUD areas,
 * for the vintage 2024 only. Gross rents are 0.80 to 1.00 of HUD's rents, contract rents 0.80 to 0.95 of gross rents,
 * taxes 0.5 to 2.2 % of values. Some medians are missing. Without a key, or with the key "invalid", it redirects to a
 * page about keys.
 */
import { json, page, redirect, respond, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { Draw } from '../world/random.ts';
import type { RentCounty } from '../world/rents.ts';
import type { WorldDay } from '../world/world.ts';
import { htmlPage } from './html.ts';
import { perDay } from './per_day.ts';

const PATH = /^\/data\/(20\d\d)\/acs\/acs5$/u;
const VINTAGE = '2024';
const METRO = 'metropolitan statistical area/micropolitan statistical area';
const NO_ESTIMATE = '-666666666';
const MAX_VARIABLES = 50;
const STATES = new Map(
  (
    'AL Alabama,AZ Arizona,AR Arkansas,FL Florida,GA Georgia,IL Illinois,IN Indiana,KS Kansas,KY Kentucky,' +
    'MI Michigan,MO Missouri,MS Mississippi,NC North Carolina,OH Ohio,SC South Carolina,TN Tennessee,TX Texas,' +
    'WI Wisconsin'
  )
    .split(',')
    .map((state) => [state.slice(0, 2), state.slice(3)]),
);

/** Medians of one area by variable, all as text. */
type Area = Readonly<Record<string, string>>;

/** CBSA of a HUD area: digits 6 to 10 of its code. */
const cbsaOf = ({ hudAreaCode }: RentCounty): string => hudAreaCode.slice(5, 10);

/** Made-up medians that fit HUD's rents of an area. */
function medians(draw: Draw, fmr: readonly number[]): Area {
  const level = draw.int(820, 980);
  const share = (amount: number, perMille: number): number => Math.round((amount * perMille) / 1000);
  const rents = fmr.map((rent) => share(rent, level + draw.int(-20, 20)));
  const gross = share(rents[2] ?? 0, draw.int(930, 1000));
  const contract = share(gross, draw.int(800, 950));
  const value = draw.int(900, 4000) * 100;
  const tax = Math.round((value * draw.int(50, 220)) / 10_000);
  const figures: Record<string, number> = {
    B25064_001E: gross,
    B25058_001E: contract,
    ...Object.fromEntries(rents.map((rent, rooms) => [`B25031_00${rooms + 2}E`, rent])),
    B25103_001E: tax,
    B25077_001E: value,
  };
  const rare = ['B25031_002E', 'B25031_006E', 'B25058_001E'];
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      rare.includes(name) && draw.chance(0.05) ? NO_ESTIMATE : String(figure),
    ]),
  );
}

/** Areas by geography, in the order of their codes. */
const areas = perDay(({ world, rents }: WorldDay) => {
  const { seed } = world.options;
  const largest = new Map<string, RentCounty>();
  for (const county of rents) {
    const known = largest.get(cbsaOf(county));
    if (!known || county.population > known.population) largest.set(cbsaOf(county), county);
  }
  const metros = [...largest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cbsa, { hudAreaName, fmr }]): Area => ({
      NAME: `${hudAreaName.replace(/\s+(?:HUD Metro FMR Area|MSA)$/u, '')} Metro Area`,
      ...medians(new Draw(seed, 'census', cbsa), fmr),
      [METRO]: cbsa,
    }));
  const counties = rents.map(({ countyName, stusps, fips, fmr }): Area => ({
    NAME: `${countyName}, ${STATES.get(stusps) ?? stusps}`,
    ...medians(new Draw(seed, 'census', fips), fmr),
    state: fips.slice(0, 2),
    county: fips.slice(2, 5),
  }));
  return { metros, counties };
});

const failure = (status: number, message: string): SandboxResponse =>
  respond(`error: ${message}`, 'text/plain; charset=utf-8', {}, status);

/** A query such as get=NAME,B25064_001E&for=county:*&in=state:39. */
function answer(day: WorldDay, query: URLSearchParams): SandboxResponse {
  const names = (query.get('get') ?? '').split(',');
  const [geography = '', codes = ''] = (query.get('for') ?? '').split(':');
  const state = /^state:(\d\d)$/u.exec(query.get('in') ?? '')?.[1];
  if (names.length > MAX_VARIABLES) return failure(400, `more than ${MAX_VARIABLES} variables`);
  if (geography !== METRO && (geography !== 'county' || state === undefined))
    return failure(400, `unknown/unsupported geography hierarchy`);
  const { metros, counties } = areas(day);
  const last = geography === METRO ? [METRO] : ['state', 'county'];
  const found = (geography === METRO ? metros : counties.filter((county) => county['state'] === state)).filter(
    (area) => codes === '*' || codes.split(',').includes(area[last.at(-1) ?? ''] ?? ''),
  );
  const unknown = names.find((name) => metros[0]?.[name] === undefined);
  if (unknown !== undefined) return failure(400, `unknown variable '${unknown}'`);
  if (found.length === 0) return respond('', 'text/plain', {}, 204);
  const columns = [...names, ...last];
  return json([columns, ...found.map((area) => columns.map((name) => area[name] ?? null))]);
}

const keyPage = (title: string): SandboxResponse =>
  page(htmlPage(title, `<h1>${title}</h1><p>A valid <em>key</em> must be included with each data API request.</p>`));

/** The API's pages. Its robots.txt is a page, as programs report of the real one. */
export function census(day: WorldDay, { path, query }: SandboxRequest): SandboxResponse | null {
  if (path === '/robots.txt') return page(htmlPage('Request Rejected', 'The requested URL was rejected.'));
  if (path === '/data/missing_key.html') return keyPage('Missing Key');
  if (path === '/data/invalid_key.html') return keyPage('Invalid Key');
  const vintage = PATH.exec(path)?.[1];
  if (vintage === undefined) return null;
  const key = query.get('key');
  if (key === null || key === 'invalid') return redirect(`/data/${key === null ? 'missing' : 'invalid'}_key.html`);
  return vintage === VINTAGE ? answer(day, query) : failure(404, 'unknown dataset');
}

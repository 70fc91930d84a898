/**
 * Benchmarks of rents and rates, with made-up figures.
 *
 * The Census Bureau's data API of medians: of the metropolitan areas and counties of the world's HUD areas,
 * for the vintage 2024 only. Gross rents are 0.80 to 1.00 of HUD's rents, contract rents 0.80 to 0.95 of gross rents,
 * taxes 0.5 to 2.2 % of values. Some medians are missing. Without a key, or with the key "invalid", it redirects to a
 * page about keys.
 *
 * The census bureau's page of vacancy rates and Table 4 of the Housing Vacancy Survey, for the twenty metros: the
 * table of the year and the history, of which only the year before is shown.
 *
 * The weekly survey of mortgage rates as Freddie Mac posts it, below a comment.
 */
import {
  httpDate,
  json,
  page,
  redirect,
  respond,
  type SandboxRequest,
  type SandboxResponse,
  withValidators,
} from '../http.ts';
import { Draw } from '../world/random.ts';
import type { RentCounty } from '../world/rents.ts';
import type { WorldDay } from '../world/world.ts';
import { htmlPage, perDay } from './parts.ts';
import { madeUpRates, madeUpVacancy, publishedUpTo, SURVEYED_AREAS } from '../world/benchmarks.ts';
import { type Cell, workbook } from './xlsx.ts';
import { dollars } from '../world/days.ts';

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

const RATES = '/housing/hvs/data/rates';
const YEAR = 2026;
const YEAR_TABLE = `${RATES}/tab4_msa_${YEAR % 100}_rvr.xlsx`;
const HISTORY = `${RATES}/tab4b_msa_15_${(YEAR - 1) % 100}_rvr.xlsx`;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const QUARTERS = ['First', 'Second', 'Third', 'Fourth'];
const NAME_WIDTH = 60;
/** Areas with a footnote on their former name have its number after the state. */
const FOOTNOTES: Readonly<Record<string, number>> = {
  'Atlanta-Sandy Springs-Roswell, GA': 1,
  'Memphis, TN-MS-AR': 14,
};

/** The name with its footnote and dot leaders. */
const printedArea = (area: string): string => `${area}${FOOTNOTES[area] ?? ''}`.padEnd(NAME_WIDTH, '.');

/** @param published number of quarters with figures */
function rowsOf(seed: number, year: number, published: number): Cell[][] {
  const surveyed = SURVEYED_AREAS.map((area, at): Cell[] => [
    at % 7 === 3 ? '*' : null,
    printedArea(area),
    ...QUARTERS.flatMap((_, index): Cell[] => {
      if (index >= published) return [null, null];
      const { rate, margin } = madeUpVacancy(seed, area, year, index + 1);
      return [rate / 10, margin / 10];
    }),
  ]);
  return [
    ['Table 4. Rental Vacancy Rates for the 75 Largest Metropolitan Statistical Areas: sandbox, made-up figures'],
    [],
    [],
    [
      null,
      'Metropolitan Statistical Area',
      ...QUARTERS.flatMap((quarter) => [`${quarter} Quarter\n${year}`, 'Margin of Error*']),
    ],
    [],
    [],
    [],
    ...surveyed,
    [],
    [1, 'Formerly titled Atlanta-Sandy Springs-Alpharetta, GA.'],
    [14, 'Formerly titled Memphis, TN-AR-MS.'],
  ];
}

/** The table of a year, made when its newest quarter was published. */
const tableOf = (year: number): ((day: WorldDay) => SandboxResponse) =>
  perDay(({ day, world }) => {
    const published = publishedUpTo(year, day);
    const made = published.at(-1) ?? `${year}-01-01`;
    const rows = rowsOf(world.options.seed, year, published.length);
    const bytes = workbook([{ name: 'Table 4', rows }], made, 'Sandbox: made-up figures, not of the census');
    return withValidators(respond(bytes, XLSX), httpDate(made, '10:00:00'));
  });
const yearTable = tableOf(YEAR);
const history = tableOf(YEAR - 1);

export function vacancyTables(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  switch (path) {
    case `${RATES}.html`:
      return page(
        htmlPage(
          'Housing Vacancies and Homeownership: rates',
          `<h1>Rates</h1>\n<a href="${YEAR_TABLE}">Table 4</a>\n<a href="${HISTORY}">Table 4b, history</a>`,
        ),
      );
    case YEAR_TABLE:
      return yearTable(day);
    case HISTORY:
      return history(day);
    default:
      return null;
  }
}

/** The label that tells the adapter that no figure is real. */
const LABEL = '# Made up by the sandbox: these are not rates of Freddie Mac, the Federal Reserve or the New York Fed.';

const printed = (rate: number | null): string => (rate === null ? '' : dollars(rate));

/** A day as the survey's file prints it: 8/27/2026. */
const plainDay = (day: string): string => `${Number(day.slice(5, 7))}/${Number(day.slice(8))}/${day.slice(0, 4)}`;

export function freddieMac(day: WorldDay, { path }: SandboxRequest): SandboxResponse | null {
  if (path !== '/pmms/docs/PMMS_history.csv') return null;
  const rates = madeUpRates(day.world.options.seed, day.day).map(
    ({ day: on, rate }) => `${plainDay(on)},${printed(rate)}, ,${printed(rate && rate - 70)},,,,,`,
  );
  const lines = [LABEL, 'date,pmms30,pmms30p,pmms15,pmms15p,pmms51,pmms51p,pmms51m,pmms51spread', ...rates];
  return withValidators(
    respond(`${lines.join('\n')}\n`, 'application/csv; charset=utf-8'),
    httpDate(day.day, '11:05:00'),
  );
}

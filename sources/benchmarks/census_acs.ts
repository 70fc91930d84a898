/**
 * Medians of rent, home value and property tax by metropolitan area and county, from the American Community Survey's
 * 5-year estimates (https://api.census.gov). The key is part of each request's query; archived addresses omit it. A
 * recorded response for all metropolitan areas (2024) confirms the form and the codes -666666666, 99, 199, 3501 and
 * 10001. Not confirmed by recorded bytes: a response by county, and the page to which a rejected key redirects.
 */
import { z } from 'zod';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  SourceUnavailable,
  US_GOVERNMENT_WORK,
} from '../contract.ts';
import { checkColumns } from '../csv/csv.ts';
import { parseJson } from '../bodies.ts';
import { AreaCensus } from '../rows/benchmarks.ts';
import { candidate, money, published, refuse, required } from '../values.ts';

/** The variable of each column: table, then line. */
const VARIABLES = {
  median_gross_rent: 'B25064_001E',
  median_contract_rent: 'B25058_001E',
  gross_rent_0: 'B25031_002E',
  gross_rent_1: 'B25031_003E',
  gross_rent_2: 'B25031_004E',
  gross_rent_3: 'B25031_005E',
  gross_rent_4: 'B25031_006E',
  median_tax: 'B25103_001E',
  median_value: 'B25077_001E',
} as const;
type Median = keyof typeof VARIABLES;
const MEDIANS = Object.keys(VARIABLES) as Median[];

/** Variables to request for each area. The API takes at most 50. */
const REQUESTED: readonly string[] = ['NAME', ...Object.values(VARIABLES)];

/** The geography "metropolitan statistical area/micropolitan statistical area", by the name of its code column. */
const METRO = 'metropolitan statistical area/micropolitan statistical area';
const CODE_COLUMNS = { metro: [METRO], county: ['state', 'county'] } as const;
type Geography = keyof typeof CODE_COLUMNS;

/** Variables that a dropped response may have in addition. */
const OTHER_VARIABLE = /^(?:GEO_ID|[BCS]\d{5}[A-Z]*_\d{3}(?:EA|MA|E|M))$/u;

/**
 * The lowest and highest figure that a table publishes. They stand for "this or less" and "this or more": a median
 * gross rent of 3501 is 3,500 dollars or more.
 */
const BOUNDS: Readonly<Record<Median, readonly [low: number, high: number]>> = {
  median_gross_rent: [99, 3501],
  median_contract_rent: [99, 3501],
  gross_rent_0: [99, 3501],
  gross_rent_1: [99, 3501],
  gross_rent_2: [99, 3501],
  gross_rent_3: [99, 3501],
  gross_rent_4: [99, 3501],
  median_tax: [199, 10_001],
  median_value: [9_999, 2_000_001],
};

/** Medians that nearly every area has: if many are missing, the table is another one or not filled. */
const COMPLETE: readonly Median[] = ['median_gross_rent', 'median_tax', 'median_value'];
const MAX_MISSING_SHARE = 0.2;

/** Codes for "no estimate": -666666666, and others of one repeated digit. */
const NO_ESTIMATE = /^-(\d)\1{8}(?:\.0+)?$/u;

const Answer = z.array(z.array(z.unknown())).min(1);

function parseTable(page: Page): {
  readonly header: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
} {
  if (page.bytes.length === 0) throw new Quarantine('empty_body', "the API's response is empty", page.url);
  const answer = Answer.safeParse(parseJson(page.text(), "the API's answer", page.url));
  if (!answer.success)
    throw new Quarantine('template_changed', "the API's response is not an array of rows with a header", page.url);
  const [header = [], ...rows] = answer.data;
  return { header: header.map(String), rows };
}

/** The kind of area of the response, by its code columns. */
function detectGeography(header: readonly string[], page: Page): Geography {
  for (const geography of ['metro', 'county'] as const)
    if (CODE_COLUMNS[geography].every((name) => header.includes(name))) return geography;
  throw new Quarantine(
    'missing_column',
    `the response has no code column: expected "${METRO}", or "state" and "county"`,
    page.url,
  );
}

/** The last year of the estimates, from the request or from a dropped file's name. */
function detectVintage({ context, url }: Page): number {
  const year = context['vintage'] ?? /acs5_(20\d\d)\D/u.exec(url)?.[1];
  if (year === undefined)
    throw new Quarantine(
      'template_changed',
      'the file name states no year: name it such as acs5_2024_metros.json',
      url,
    );
  return Number(year);
}

/** A median; null without an estimate. Refuses a figure that its table cannot contain. */
function median(name: Median, value: unknown): string | null {
  if (NO_ESTIMATE.test(String(value))) return null;
  const amount = money(name, value);
  const [low, high] = BOUNDS[name];
  if (amount !== null && (Number(amount) < low || Number(amount) > high))
    refuse(
      `implausible_${name}`,
      `${name} (${VARIABLES[name]}) is ${amount}, expected ${low} to ${high}, the bounds of the table`,
    );
  return amount;
}

/** @throws Quarantine if too many areas have no estimate of a median that nearly every area has */
function checkMissing(candidates: readonly Candidate[], page: Page): void {
  const accepted = candidates.flatMap((row) => ('values' in row ? [row.values] : []));
  for (const name of COMPLETE) {
    const missing = accepted.filter((values) => values[name] === null).length;
    if (missing > accepted.length * MAX_MISSING_SHARE)
      throw new Quarantine(
        'template_changed',
        `${missing} of ${accepted.length} areas have no ${name} (${VARIABLES[name]}), ` +
          `at most ${MAX_MISSING_SHARE * 100} % expected`,
        page.url,
      );
  }
}

/** Areas of a response, as rows of area_census. */
function parseAreas(page: Page): readonly Candidate[] {
  const { header, rows } = parseTable(page);
  const geography = detectGeography(header, page);
  const codes = CODE_COLUMNS[geography];
  checkColumns(header, [...REQUESTED.filter((name) => !isOptional(name, geography)), ...codes], page.url, [
    ...REQUESTED,
    OTHER_VARIABLE,
  ]);
  const vintage = detectVintage(page);
  const at = (row: readonly unknown[], name: string): unknown => row[header.indexOf(name)] ?? null;
  const candidates = rows.map((row) => {
    const code = codes.map((name) => published(at(row, name)) ?? '').join('');
    const key = /^\d{5}$/u.test(code) ? { geography, area_code: code, vintage: String(vintage) } : undefined;
    return candidate(
      () => JSON.stringify(row),
      () => {
        if (row.length !== header.length)
          refuse('wrong_field_count', `the row has ${row.length} cells, expected ${header.length}`);
        if (!key) refuse('bad_area_code', `the code of the area is ${JSON.stringify(code)}, expected five digits`);
        return {
          values: {
            geography,
            area_code: code,
            area_name: required('NAME', at(row, 'NAME')),
            vintage,
            ...Object.fromEntries(MEDIANS.map((name) => [name, median(name, at(row, VARIABLES[name]))])),
          },
        };
      },
      key,
    );
  });
  checkMissing(candidates, page);
  return candidates;
}

/** Contract rents are used for counties only: a dropped response for metropolitan areas may omit them. */
const isOptional = (name: string, geography: Geography): boolean =>
  geography === 'metro' && name === VARIABLES.median_contract_rent;

const API = 'https://api.census.gov/data';
const HOME = 'https://www.census.gov/programs-surveys/acs/data.html';
const KEY = 'CENSUS_API_KEY';
const HOW_TO_GET_A_KEY = 'A key is free: request it at https://api.census.gov/data/key_signup.html and activate it.';

/** States with counties in the HUD areas of the twenty metros, and of Canton, Ohio, by FIPS code. */
const STATES = '01 04 05 12 13 17 18 20 21 26 28 29 37 39 45 47 48 55'.split(' ');

/** Years to look back for the newest estimates: those of a year appear up to thirteen months after its end. */
const YEARS_BACK = [1, 2, 3];

interface Query {
  readonly vintage: number;
  /** Such as "for=county:*&in=state:39". */
  readonly areas: string;
}

/**
 * A response, or null if the API has none.
 * @throws SourceUnavailable naming the setting if the key is rejected
 */
async function get(ctx: FetchContext, key: string, { vintage, areas }: Query): Promise<Page | null> {
  const url = `${API}/${vintage}/acs/acs5?get=${REQUESTED.join(',')}&${areas}`;
  const page = await ctx.getIfExists(url, {
    kind: 'areas',
    context: { vintage: String(vintage) },
    accept: 'application/json',
    secretQuery: { key },
  });
  // A rejected key redirects to an HTML page with the title "Invalid Key" or "Missing Key".
  if (page && /<title>[^<]*\bKey\b/iu.test(page.text().slice(0, 2000)))
    throw new SourceUnavailable(
      'refused',
      `the Census Bureau rejects the key in ${KEY}: it is not valid or not activated. ${HOW_TO_GET_A_KEY}`,
      url,
    );
  return page;
}

/** The newest estimates: all metropolitan areas, then the counties of each state. */
async function* areaPages(ctx: FetchContext): AsyncGenerator<Page> {
  const key = ctx.secret(KEY);
  if (key === undefined) throw new SourceUnavailable('refused', `${KEY} is not set. ${HOW_TO_GET_A_KEY}`, HOME);
  const vintages = YEARS_BACK.map((years) => Number(ctx.asOf.slice(0, 4)) - years);
  for (const vintage of vintages) {
    const metros = await get(ctx, key, { vintage, areas: `for=${encodeURI(METRO)}:*` });
    if (!metros) continue;
    yield metros;
    for (const state of ctx.sampleRows === null ? STATES : STATES.slice(0, 1)) {
      const areas = `for=county:*&in=state:${state}`;
      const counties = await get(ctx, key, { vintage, areas });
      if (!counties) throw new SourceUnavailable('not_found', `no counties of state ${state} in ${vintage}`, API, 404);
      yield counties;
    }
    return;
  }
  throw new SourceUnavailable('not_found', `no 5-year estimates of ${vintages.join(', ')}`, API, 404);
}

export default defineSource({
  name: 'census_acs',
  family: 'benchmarks',
  title: 'American Community Survey, 5-year estimates by metropolitan area and county',
  home: HOME,
  terms: {
    basis: 'us_government_work',
    note:
      'A work of the US government, in the public domain. The API asks for a key and for the notice "This product ' +
      'uses the Census Bureau Data API but is not endorsed or certified by the Census Bureau."',
    url: 'https://www.census.gov/data/developers/about/terms-of-service.html',
    quote: US_GOVERNMENT_WORK,
    resale: 'allowed',
  },
  everyDays: 31,
  hosts: ['api.census.gov'],
  secrets: [KEY],
  secretsRequired: HOW_TO_GET_A_KEY,
  row: AreaCensus,
  contradictions: 'refused',
  expect: { minRows: 100, maxRejectShare: 0.01, maxDropShare: 0.05 },
  drop: [
    {
      pattern: /^acs5_20\d\d_[\w.-]+\.json$/u,
      file: 'acs5_2024_metros.json',
      kind: 'areas',
      about:
        "A response of the Census Bureau's API as saved from a browser, named with its year, such as " +
        'acs5_2024_metros.json and acs5_2024_ohio.json: all areas that are needed, in one or more files.',
    },
  ],
  fetch: areaPages,
  parse: parseAreas,
});

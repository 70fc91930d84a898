/**
 * Medians of rent, home value and property tax by metropolitan area and county, from the American Community Survey's
 * 5-year estimates (https://api.census.gov). The key is part of each request's query; archived addresses omit it. A
 * recorded response for all metropolitan areas (2024) confirms the form and the codes -666666666, 99, 199, 3501 and
 * 10001. Not confirmed by recorded bytes: a response by county, and the page to which a rejected key redirects.
 */
import { defineSource, SourceUnavailable, type FetchContext, type Page } from '../../contract.ts';
import { AreaCensus } from '../../rows/area_census.ts';
import { parseAreas, METRO, REQUESTED } from './answer.ts';

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
  },
  everyDays: 31,
  hosts: ['api.census.gov'],
  secrets: [KEY],
  secretsRequired: HOW_TO_GET_A_KEY,
  politeness: { minIntervalMs: 1000, concurrency: 1 },
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

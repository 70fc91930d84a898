/**
 * HUD's rent API, https://www.huduser.gov/hudapi/public/fmr, for operators with a token.
 *
 * Its documentation shows fields in several forms, and all are accepted: rents as numbers and as text ("948.0"),
 * smallarea_status as "1" and 0, statecode and state_code, basicdata as an object and as an array. Counties have the
 * name of their HUD area and no code, so the code comes from the state's list of metropolitan areas. The API does not
 * state whether its rents are the original release or a revision.
 */
import { z } from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import {
  type Candidate,
  type FetchContext,
  type GetOptions,
  type Page,
  Quarantine,
  SourceUnavailable,
} from '../../contract.ts';
import { fiscalYearOn } from '../../fiscal_year.ts';
import { parseJson } from '../../json.ts';
import { candidate, line, refuse, required, state as stateCode, tidy, zip } from '../../values.ts';
import { effectiveOn, HUD, rent } from './releases.ts';

/** Name of the setting that holds the token. */
export const HUD_TOKEN = 'HUD_TOKEN';

const API = `${HUD}/hudapi/public/fmr`;
const SIZES = ['Efficiency', 'One-Bedroom', 'Two-Bedroom', 'Three-Bedroom', 'Four-Bedroom'] as const;
const REVISION = 'latest';

const Text = z.union([z.string(), z.number()]);
const Row = z.record(z.string(), z.unknown());
const States = z.union([z.array(Row), z.looseObject({ data: z.array(Row) }).transform((body) => body.data)]);
const StateData = z.looseObject({
  data: z.looseObject({ year: Text, metroareas: z.array(Row), counties: z.array(Row) }),
});
const ZipData = z.looseObject({ data: z.looseObject({ basicdata: z.union([z.array(Row), Row]) }) });

/** A text or number as text; null for anything else. */
const plain = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? tidy(value) : null;

function read<T>(page: Page, shape: z.ZodType<T>): T {
  if (page.bytes.length === 0) throw new Quarantine('empty_body', "the API's response is empty", page.url);
  const result = shape.safeParse(parseJson(page.text(), "the API's response", page.url));
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  throw new Quarantine(
    'template_changed',
    `the API's response has an unknown form at ${path.join('.') || 'its root'}: ${message}`,
    page.url,
  );
}

function parseYear(value: unknown, page: Page): number {
  const year = plain(value);
  if (year === null || !/^20\d\d(?:\.0)?$/u.test(year))
    throw new Quarantine('template_changed', `year is ${JSON.stringify(value)}, expected a fiscal year`, page.url);
  const requested = page.context['year'];
  if (requested !== undefined && Number(year) !== Number(requested))
    throw new Quarantine(
      'template_changed',
      `the response is for fiscal year ${year}, expected ${requested} as requested`,
      page.url,
    );
  return Number(year);
}

/** A field that every row has, blank or not. Refuses the row if it is missing. */
function field(row: JsonObject, ...names: readonly [string, ...string[]]): unknown {
  const name = names.find((each) => each in row);
  return name === undefined ? refuse(`missing_${names[0]}`, `the row has no field ${names.join(' or ')}`) : row[name];
}

/** A page of the API, or null if it has none. @throws SourceUnavailable naming the setting if HUD rejects the token */
async function get(
  ctx: FetchContext,
  token: string,
  path: string,
  options: Pick<GetOptions, 'kind' | 'context'>,
): Promise<Page | null> {
  try {
    return await ctx.getIfExists(`${API}/${path}`, {
      ...options,
      accept: 'application/json',
      headers: { authorization: `Bearer ${token}` },
    });
  } catch (error) {
    if (!(error instanceof SourceUnavailable) || (error.status !== 401 && error.status !== 403)) throw error;
    const why = error.status === 401 ? 'it is not valid' : 'it is not registered for this dataset';
    throw new SourceUnavailable(
      error.reason,
      `HUD rejects the token in ${HUD_TOKEN} (${error.status}): ${why}`,
      error.pageUrl,
      error.status,
    );
  }
}

/** Rents of every state, for the newest fiscal year in force that HUD has. Pages have kind "statedata". */
export async function* statePages(ctx: FetchContext, token: string): AsyncGenerator<Page> {
  const list = await get(ctx, token, 'listStates', { kind: 'states' });
  if (!list) throw new SourceUnavailable('not_found', "HUD's API has no list of states", `${API}/listStates`, 404);
  const states = read(list, States).map((row) => plain(row['state_code']) ?? '');
  const invalid = states.find((code) => !/^[A-Z]{2}$/u.test(code));
  if (invalid !== undefined || states.length === 0)
    throw new Quarantine(
      'template_changed',
      `HUD's list of states has the code ${JSON.stringify(invalid)}, expected two letters`,
      list.url,
    );
  let years = [fiscalYearOn(ctx.asOf), fiscalYearOn(ctx.asOf) - 1];
  let found = false;
  for (const code of states) {
    for (const year of years) {
      const page = await get(ctx, token, `statedata/${code}?year=${year}`, {
        kind: 'statedata',
        context: { state: code, year: String(year) },
      });
      if (!page) continue;
      years = [year];
      found = true;
      yield page;
      break;
    }
  }
  if (!found)
    throw new SourceUnavailable(
      'not_found',
      `HUD's API has no rents for fiscal year ${years.join(' or ')}`,
      `${API}/statedata`,
      404,
    );
}

const isOne = (value: unknown): boolean => plain(value)?.replace(/\.0+$/u, '') === '1';

/** Rents by ZIP, for each metropolitan area that must use them. Pages have kind "zipdata". */
export async function* zipPages(ctx: FetchContext, token: string): AsyncGenerator<Page> {
  const requested = new Set<string>();
  for await (const page of statePages(ctx, token)) {
    const { data } = read(page, StateData);
    for (const area of data.metroareas) {
      const [code, name] = [plain(area['code']), plain(area['name'])];
      if (code === null || name === null || !isOne(area['smallarea_status']) || requested.has(code)) continue;
      requested.add(code);
      const year = String(parseYear(data.year, page));
      const zips = await get(ctx, token, `data/${encodeURIComponent(code)}?year=${year}`, {
        kind: 'zipdata',
        context: { code, name, year },
      });
      if (zips) yield zips;
    }
  }
}

const rentsAs = (prefix: string, row: JsonObject): Record<string, string> =>
  Object.fromEntries(SIZES.map((size, rooms) => [`${prefix}_${rooms}`, rent(`${prefix}_${rooms}`, row[size])]));

const collapsed = (value: unknown): string => line(plain(value)) ?? '';

/** Counties and towns of one state, as rows of fmr_area. */
export function areasOfState(page: Page): Candidate[] {
  const { data } = read(page, StateData);
  const fiscalYear = parseYear(data.year, page);
  const codes = new Map(data.metroareas.map((area) => [collapsed(area['name']), plain(area['code'])]));
  return data.counties.map((row) => {
    const fips = plain(row['fips_code'])?.padStart(10, '0') ?? '';
    const key = /^\d{10}$/u.test(fips) ? { fips, fiscal_year: String(fiscalYear), revision: REVISION } : undefined;
    return candidate(
      JSON.stringify(row),
      () => {
        if (!key) refuse('bad_fips', `fips_code is ${JSON.stringify(row['fips_code'])}, expected ten digits`);
        const county = required('county_name', field(row, 'county_name'));
        const state = stateCode('statecode', required('statecode', field(row, 'statecode', 'state_code')));
        const name = tidy(field(row, 'metro_name')) ?? `${county}, ${state ?? ''}`;
        const metro = codes.get(collapsed(name));
        if (metro === undefined && /(?:\bMSA|\bHUD Metro FMR Area)$/u.test(name))
          refuse(
            'unknown_metro_area',
            `metro_name is ${JSON.stringify(name)}, expected one of the state's metropolitan areas`,
          );
        const isOwnArea = collapsed(name) === `${county}, ${state ?? ''}`;
        return {
          values: {
            fips,
            county_fips: fips.slice(0, 5),
            state,
            county_name: county,
            town_name: line(field(row, 'town_name')),
            hud_area_code: metro ?? (isOwnArea ? `NCNTY${fips.slice(0, 5)}N${fips.slice(0, 5)}` : null),
            hud_area_name: name,
            is_metro: metro !== undefined,
            population: null,
            ...rentsAs('fmr', row),
            fiscal_year: fiscalYear,
            effective_on: effectiveOn({ fiscalYear, revision: 'original' }),
            revision: REVISION,
          },
        };
      },
      key,
    );
  });
}

/** ZIPs of one area, as rows of fmr_zip; none if the area has one rent for all ZIPs. */
export function zipsOfArea(page: Page): Candidate[] {
  const { data } = read(page, ZipData);
  const { basicdata } = data;
  if (!Array.isArray(basicdata)) return [];
  const fiscalYear = parseYear(data['year'] ?? basicdata[0]?.['year'], page);
  const code = page.context['code'] ?? '';
  return basicdata
    .filter((row) => plain(row['zip_code']) !== 'MSA level')
    .map((row) => {
      const digits = plain(row['zip_code'])?.padStart(5, '0') ?? '';
      const key = /^\d{5}$/u.test(digits)
        ? { zip: digits, hud_area_code: code, fiscal_year: String(fiscalYear), revision: REVISION, basis: 'zip' }
        : undefined;
      return candidate(
        JSON.stringify(row),
        () => ({
          values: {
            zip: zip('zip_code', digits) ?? refuse('blank_zip', 'zip_code is blank'),
            hud_area_code: required('code', code),
            hud_area_name:
              tidy(page.context['name']) ?? refuse('blank_hud_area_name', 'the area has no name in the list of areas'),
            ...rentsAs('rent', row),
            fiscal_year: fiscalYear,
            effective_on: effectiveOn({ fiscalYear, revision: 'original' }),
            revision: REVISION,
            basis: 'zip',
          },
        }),
        key,
      );
    });
}

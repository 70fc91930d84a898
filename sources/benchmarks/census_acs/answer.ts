/**
 * Response of the Census Bureau's data API: an array of rows, each an array of strings. The header is the first row,
 * the codes of the geography are the last columns.
 */
import { z } from 'zod';
import { Quarantine, type Candidate, type Page } from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import { parseJson } from '../../json.ts';
import { candidate, money, refuse, required } from '../../values.ts';

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
export const REQUESTED: readonly string[] = ['NAME', ...Object.values(VARIABLES)];

/** The geography "metropolitan statistical area/micropolitan statistical area", by the name of its code column. */
export const METRO = 'metropolitan statistical area/micropolitan statistical area';
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

const Answer = z.array(z.array(z.union([z.string(), z.number(), z.null()]))).min(1);

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
export function parseAreas(page: Page): readonly Candidate[] {
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
    const code = codes.map((name) => String(at(row, name) ?? '')).join('');
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

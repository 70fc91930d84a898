/** HUD's real FY2026 rents of the world's counties. Nothing here is made up. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** One county of HUD's workbook. */
export interface RentCounty {
  readonly stusps: string;
  readonly state: string;
  readonly hudAreaCode: string;
  readonly countyName: string;
  readonly townName: string;
  readonly metro: number;
  readonly hudAreaName: string;
  readonly fips: string;
  readonly population: number;
  readonly fmr: readonly [number, number, number, number, number];
}

const FILE = new URL('./hud_fy26_metro_counties.csv', import.meta.url);

const number = (text: string | undefined): number => {
  const value = Number(text);
  if (text === undefined || !Number.isInteger(value))
    throw new Error(`${FILE.pathname}: found ${JSON.stringify(text)}, expected an integer`);
  return value;
};

const all = (parse(readFileSync(FILE), { columns: true, comment: '#' }) as Record<string, string>[]).map(
  (row): RentCounty => ({
    stusps: row.stusps ?? '',
    state: row.state ?? '',
    hudAreaCode: row.hud_area_code ?? '',
    countyName: row.countyname ?? '',
    townName: row.county_town_name ?? '',
    metro: number(row.metro),
    hudAreaName: row.hud_area_name ?? '',
    fips: row.fips ?? '',
    population: number(row.pop2023),
    fmr: [number(row.fmr_0), number(row.fmr_1), number(row.fmr_2), number(row.fmr_3), number(row.fmr_4)],
  }),
);

/** Counties outside the metros (outsidePlaces), which are in none of the sandbox's workbooks. */
const OUTSIDE = ['1703199999', '4200399999'];

/** The other counties in the order of their FIPS codes. */
export const rents: readonly RentCounty[] = all.filter(({ fips }) => !OUTSIDE.includes(fips));

const byCounty = new Map(all.map((county) => [county.fips.slice(0, 5), county]));

/** HUD's row of a county. @throws if the file does not have the county */
export function rentsOf(countyFips: string): RentCounty {
  const county = byCounty.get(countyFips);
  if (!county) throw new Error(`no rents for county ${countyFips}`);
  return county;
}

/**
 * HUD's real FY2026 rents of the world's counties, and made-up rents by ZIP: no real ones of that year are available,
 * so these vary around the area's rents by the digits of the ZIP.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { places } from './places.ts';

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

/** Rents of one ZIP in one HUD area, by number of bedrooms. */
interface ZipRent {
  readonly zip: string;
  readonly area: RentCounty;
  readonly rents: readonly number[];
}

const found = new Map<string, ZipRent>();
for (const { zips, countyFips } of places) {
  const area = rentsOf(countyFips);
  for (const zip of zips) {
    const percent = 88 + ((Number(zip) * 7919) % 25);
    found.set(`${zip} ${area.hudAreaCode}`, {
      zip,
      area,
      rents: area.fmr.map((rent) => Math.round((rent * percent) / 1000) * 10),
    });
  }
}

/** Each ZIP of the world with each HUD area that it is in. */
export const zipRents: readonly ZipRent[] = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rent]) => rent);

const byZip = Map.groupBy(zipRents, ({ zip }) => zip);

/** The lowest two-bedroom rent of a ZIP; null if the world has no property in it. */
export function lowestRentOfZip(zip: string): number | null {
  const found2br = (byZip.get(zip) ?? []).flatMap(({ rents: [, , rent2br] }) => rent2br ?? []);
  return found2br.length === 0 ? null : Math.min(...found2br);
}

/**
 * Made-up rents by ZIP and bedrooms. The world's rents of areas are HUD's real figures; no real ZIP rents of that year
 * are available, so these vary around the area's rents by the digits of the ZIP.
 */
import { places } from './places.ts';
import { rentsOf, type RentCounty } from './rents.ts';

/** Rents of one ZIP in one HUD area, by number of bedrooms. */
export interface ZipRent {
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
  const rents = (byZip.get(zip) ?? []).flatMap(({ rents: [, , rent2br] }) => rent2br ?? []);
  return rents.length === 0 ? null : Math.min(...rents);
}

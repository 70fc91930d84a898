/** Parcel numbers in each county's documented format. Those of other states are in parcels_elsewhere.ts. */
import { digits } from './digits.ts';
import { FORMATS_ELSEWHERE } from './parcels_elsewhere.ts';
import type { Draw } from './random.ts';
import type { Property } from './types.ts';

const CUYAHOGA = '39035';

const CONDOMINIUM_LETTER = 'C';

/** Draws a parcel number as the county's own list prints it, by county FIPS. `isHome`: the property has one unit. */
const FORMATS: Readonly<Record<string, (draw: Draw, isHome: boolean) => string>> = {
  // Cuyahoga: DDD-DD-DDD, with a letter at the end for condominiums.
  '39035': (draw, isHome) =>
    `${digits(draw, 3)}-${digits(draw, 2)}-${digits(draw, 3)}${draw.chance(0.02) && isHome ? CONDOMINIUM_LETTER : ''}`,
  // Franklin: district-number-card.
  '39049': (draw) => `${draw.pick(['010', '010', '010', '040', '130', '520'] as const)}-${digits(draw, 6)}-00`,
  // Hamilton: book-page-parcel-suffix, thirteen characters without dashes; the page may have letters.
  '39061': (draw) => {
    const book = digits(draw, 3);
    const page = draw.chance(0.05)
      ? `0${draw.pick(['A', 'B', 'C'] as const)}${digits(draw, 2)}`
      : `0${digits(draw, 3)}`;
    const lot = digits(draw, 4);
    // A condominium unit: its lot has other units, whose numbers differ in the last two characters only.
    return `${book}-${page}-${lot}-${lot.endsWith('7') ? '90' : '00'}`;
  },
  // Montgomery: fourteen characters: district, six of the book, a space or a letter, four of the lot.
  '39113': (draw) => {
    const district = draw.pick(['R72', 'R72', 'R72', 'E20', 'N64', 'P70'] as const);
    const [book, lot] = [digits(draw, 5), digits(draw, 4)];
    if (lot.endsWith('3')) return `${district} ${book}A${lot}`;
    return lot.endsWith('7') ? `${district}${book}${lot.slice(0, 1)} ${lot}` : `${district} ${book} ${lot}`;
  },
  // Summit: seven digits.
  '39153': (draw) => `${draw.int(1, 9)}${digits(draw, 6)}`,
  // Lucas: DD-DDDDD.
  '39095': (draw) => `${digits(draw, 2)}-${digits(draw, 5)}`,
  // Stark: seven digits with leading zeros, eight for newer splits.
  '39151': (draw) => (draw.chance(0.1) ? `100${digits(draw, 5)}` : `0${digits(draw, 6)}`),
  // Butler: a letter and four digits, then three groups of three.
  '39017': (draw) =>
    `${draw.pick(['B', 'P', 'Q'] as const)}${digits(draw, 4)}-${digits(draw, 3)}-000-${digits(draw, 3)}`,
};

/** Draw a parcel number that is not in `taken`, and add it there. */
export function drawParcel(draw: Draw, countyFips: string, taken: Set<string>, isHome: boolean): string | null {
  const format = FORMATS[countyFips] ?? FORMATS_ELSEWHERE[countyFips];
  if (!format) return null;
  for (;;) {
    const parcel = format(draw, isHome);
    const key = `${countyFips}/${parcel}`;
    if (taken.has(key)) continue;
    taken.add(key);
    return parcel;
  }
}

/** A parcel number without dashes, as in Cuyahoga's and Hamilton's layers and on auction sites. */
export const undashed = (parcel: string): string => parcel.replaceAll('-', '');

/** The number of a condominium on the parcel of a whole building, in the county that numbers them so. */
export const condominiumOn = ({ countyFips, parcel, address }: Property): string | null =>
  countyFips === CUYAHOGA && parcel !== null && address.unit === null ? `${parcel}${CONDOMINIUM_LETTER}` : null;

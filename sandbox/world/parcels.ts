/**
 * Parcel numbers in each county's documented format: as the roll prints them, and as auction sites do. Kansas City's
 * and Charlotte's records are matched by address.
 */
import { digits } from './random.ts';
import { Draw } from './random.ts';
import type { Property } from './types.ts';

export const DUVAL = '12031';
export const HILLSBOROUGH = '12057';
export const PASCO = '12101';
export const PINELLAS = '12103';

const two = (draw: Draw, low: number, high: number): string => String(draw.int(low, high)).padStart(2, '0');

/** Draws a parcel number, by county FIPS. */
const FORMATS_ELSEWHERE: Readonly<Record<string, (draw: Draw) => string>> = {
  // Marion, Indiana: the state's number, which begins with the county's.
  '18097': (draw) => {
    const district = draw.pick(['101', '701', '800'] as const);
    return `49-${two(draw, 1, 12)}-${two(draw, 1, 36)}-${digits(draw, 3)}-${digits(draw, 3)}.000-${district}`;
  },
  // Milwaukee: ten digits, zero-padded.
  '55079': (draw) => `${two(draw, 0, 59)}${digits(draw, 8)}`,
  // St. Louis: eleven digits.
  '29510': (draw) => `1${digits(draw, 10)}`,
  // Detroit: ward, number and a dot; ranges of lots end in a dash and a number, parts in a letter.
  '26163': (draw) => {
    const number = `${two(draw, 1, 22)}${digits(draw, 6)}`;
    if (draw.chance(0.05)) return `${number}-${draw.int(2, 9)}`;
    return `${number}.${draw.chance(0.03) ? `${digits(draw, 3)}L` : ''}`;
  },
  // Duval: "120553-0000".
  [DUVAL]: (draw) => `${digits(draw, 6)}-${draw.weighted([['0000', 8] as const, [digits(draw, 4), 2] as const])}`,
  // Hillsborough: the folio, ten digits.
  [HILLSBOROUGH]: (draw) => `${digits(draw, 6)}${draw.weighted([['0000', 8] as const, [digits(draw, 4), 2] as const])}`,
  // Pinellas: section, township and range first: "12-30-14-02394-000-0490".
  [PINELLAS]: (draw) =>
    [two(draw, 1, 36), two(draw, 27, 32), two(draw, 14, 17), digits(draw, 5), digits(draw, 3), digits(draw, 4)].join(
      '-',
    ),
  // Pasco: "34-25-20-0050-01200-0110"; few blocks have a letter.
  [PASCO]: (draw) => {
    const block = draw.chance(0.06) ? `0${draw.pick(['A', 'B', 'R'] as const)}${digits(draw, 1)}00` : digits(draw, 5);
    const section = `${two(draw, 1, 36)}-${two(draw, 23, 26)}-${two(draw, 16, 21)}`;
    return `${section}-${digits(draw, 4)}-${block}-${digits(draw, 4)}`;
  },
  // Bexar: an account of twelve digits.
  '48029': (draw) => `0${digits(draw, 11)}`,
  // Shelby: "035087  00049", with two spaces; few maps have a letter.
  '47157': (draw) =>
    draw.chance(0.1)
      ? `${digits(draw, 5)}${draw.pick(['A', 'B', 'K'] as const)}  ${digits(draw, 5)}`
      : `0${digits(draw, 5)}  ${digits(draw, 5)}`,
  // Allegheny: sixteen characters: map, letter, lot and suffix. A condominium has a B and its unit in the suffix.
  '42003': (draw) => {
    const lot = `${digits(draw, 4)}${draw.pick(['A', 'B', 'C', 'F', 'K', 'N', 'S'] as const)}${digits(draw, 5)}`;
    return `${lot}${draw.chance(0.03) ? `B${digits(draw, 3)}00` : '000000'}`;
  },
  // Cook: fourteen digits; a condominium's last four are not 0000.
  '17031': (draw) => `${digits(draw, 10)}${draw.chance(0.1) ? `10${two(draw, 1, 60)}` : '0000'}`,
};

/** Hillsborough's second number of a parcel, which its foreclosure site prints: "2031069WZ000009000070U". */
function pinOf(folio: string): string {
  const draw = new Draw('pin', folio);
  const where = `${two(draw, 17, 22)}${two(draw, 27, 32)}${two(draw, 1, 36)}`;
  const plat = draw.chance(0.2)
    ? 'ZZZ'
    : `${digits(draw, 1)}${draw.pick(['A', 'D', 'W', 'Y'] as const)}${digits(draw, 1)}`;
  return `${where}${plat}${digits(draw, 6)}${digits(draw, 6)}${draw.chance(0.2) ? 'A' : 'U'}`;
}

/**
 * A parcel number as the county's foreclosure site prints it. Pinellas has the range before the section there, and no
 * dashes.
 */
export function onForeclosureSite({ countyFips, parcel }: Property): string {
  if (parcel === null) return '';
  if (countyFips === HILLSBOROUGH) return pinOf(parcel);
  if (countyFips !== PINELLAS) return parcel;
  const [section = '', township = '', range = '', ...rest] = parcel.split('-');
  return [range, township, section, ...rest].join('');
}

/** A parcel number as an account of LienHub: without dashes, Hillsborough's with a letter before it. */
export const onLienHub = ({ countyFips, parcel }: Property): string =>
  `${countyFips === HILLSBOROUGH ? 'A' : ''}${(parcel ?? '').replaceAll('-', '')}`;

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

/** Made-up street addresses: random draws, the Publication 28 form, and the spellings of sites and counties. */
import type { Draw } from './random.ts';
import type { Direction, StreetAddress } from './types.ts';

const HEADS = (
  'Ald Ash Bram Brindle Calder Corwin Dunmar Elder Fallow Fenn Garrick Hallow Hazel Inver Jarrow Kelder Kest Lark ' +
  'Linden Mallow Marl Nether Oak Orrin Pender Quill Rook Sallow Stan Tanner Thistle Tusk Upper Vander Wexle Whit ' +
  'Wren Yarrow Zell'
).split(' ');
const TAILS = (
  'acre beck brook burn bury combe croft dale den ford gate grove ham hurst leigh low mere mond moor more ridge ' +
  'shaw stead stow thorpe ton vale well wick wold worth'
).split(' ');
/** Names that are hard to parse: a saint, a suffix or direction in the name, two words. */
const ODD_NAMES = [
  'Saint Odran',
  'Saint Wilda',
  'Park Meadow',
  'Court Vista',
  'North Point',
  'West Haven',
  'Old Tannery',
  'Mill Hollow',
  'County Line',
  'Avenue K',
  'La Paloma',
  "O'Dunmar",
];

/** Suffixes in full, and their Publication 28 abbreviations. */
const SUFFIXES: readonly (readonly [word: string, abbreviation: string, weight: number])[] = [
  ['Avenue', 'AVE', 34],
  ['Street', 'ST', 26],
  ['Road', 'RD', 12],
  ['Drive', 'DR', 6],
  ['Boulevard', 'BLVD', 4],
  ['Court', 'CT', 3],
  ['Place', 'PL', 3],
  ['Lane', 'LN', 3],
  ['Terrace', 'TER', 2],
  ['Parkway', 'PKWY', 1],
  ['Circle', 'CIR', 1],
  ['Way', 'WAY', 1],
  ['Square', 'SQ', 0.4],
  ['Trail', 'TRL', 0.6],
  ['Crossing', 'XING', 0.4],
  ['Row', 'ROW', 0.4],
  ['Alley', 'ALY', 0.3],
  ['Plaza', 'PLZ', 0.3],
  ['Pike', 'PIKE', 0.6],
];
const WORD_OF = new Map(SUFFIXES.map(([word, abbreviation]) => [abbreviation, word]));
const DIRECTIONS: Readonly<Record<Direction, string>> = {
  N: 'North',
  S: 'South',
  E: 'East',
  W: 'West',
  NE: 'Northeast',
  NW: 'Northwest',
  SE: 'Southeast',
  SW: 'Southwest',
};

function ordinal(number: number): string {
  const tail = number % 100;
  const ending = tail >= 11 && tail <= 13 ? 'TH' : (['TH', 'ST', 'ND', 'RD'][number % 10] ?? 'TH');
  return `${number}${ending}`;
}

/** Counties with a quadrant after the street name. */
const QUADRANTS = new Set(['39151']);

/** Draw an address. Some multifamily buildings have a range of numbers. */
export function drawAddress(draw: Draw, countyFips: string, multifamily: boolean): StreetAddress {
  const numbered = draw.chance(0.14);
  const name = numbered
    ? ordinal(draw.int(2, 147))
    : (draw.chance(0.04) ? draw.pick(ODD_NAMES) : `${draw.pick(HEADS)}${draw.pick(TAILS)}`).toUpperCase();
  const suffix = numbered
    ? draw.pick(['ST', 'ST', 'AVE'] as const)
    : draw.chance(0.01) || name.startsWith('AVENUE')
      ? null
      : draw.weighted(SUFFIXES.map(([, abbreviation, weight]) => [abbreviation, weight] as const));
  const low = draw.int(10, draw.chance(0.15) ? 9999 : 3999);
  const high = multifamily && draw.chance(0.09) ? low + draw.pick([2, 2, 2, 4, 6, 8] as const) : null;
  const pre = draw.chance(numbered ? 0.6 : 0.12) ? draw.pick(['N', 'S', 'E', 'W'] as const) : null;
  const post = QUADRANTS.has(countyFips) && draw.chance(0.7) ? draw.pick(['NE', 'NW', 'SE', 'SW'] as const) : null;
  const unit =
    multifamily && high === null && draw.chance(0.02) ? `UNIT ${draw.pick(['A', 'B', '1', '2'] as const)}` : null;
  return { low, high, pre: post === null ? pre : null, name, suffix, post, unit };
}

const joined = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' ');

/** The line in Publication 28 form: upper case, no punctuation, suffix and directions abbreviated, unit last. */
export function canonicalStreet(address: StreetAddress): string {
  return joined(
    address.high === null ? String(address.low) : `${address.low}-${address.high}`,
    address.pre,
    address.name.replaceAll("'", ''),
    address.suffix,
    address.post,
    address.unit,
  );
}

const title = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(^|[\s-])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());
const nameInWords = (name: string): string =>
  title(name).replace(/^O'(.)/u, (_, letter: string) => `O'${letter.toUpperCase()}`);

export type Spelling = 'abbreviated' | 'dotted' | 'words' | 'upper_abbreviated' | 'upper_words';

/** The line in a spelling. The result is deterministic. */
export function spellStreet(address: StreetAddress, spelling: Spelling): string {
  const upper = spelling.startsWith('upper');
  const words = spelling.endsWith('words');
  const dot = spelling === 'dotted' ? '.' : '';
  const direction = (d: Direction | null): string | null =>
    d === null ? null : words ? DIRECTIONS[d] : spelling === 'dotted' ? `${d.split('').join('.')}.` : d;
  const suffix =
    address.suffix === null
      ? null
      : words
        ? (WORD_OF.get(address.suffix) ?? address.suffix)
        : `${title(address.suffix)}${WORD_OF.get(address.suffix)?.toUpperCase() === address.suffix ? '' : dot}`;
  const saint = (name: string): string => (words ? name : name.replace(/^Saint /u, `St${dot} `));
  const range =
    address.high === null
      ? String(address.low)
      : spelling === 'words'
        ? `${address.low} - ${address.high}`
        : `${address.low}-${address.high}`;
  const unit =
    address.unit === null ? null : spelling === 'dotted' ? address.unit.replace('UNIT ', '#') : title(address.unit);
  const line = joined(
    range,
    direction(address.pre),
    saint(nameInWords(address.name)),
    suffix,
    direction(address.post),
    unit,
  );
  return upper ? line.toUpperCase() : line;
}

/** Numbers that the address occupies on its street, so that no two properties share one. */
export function numbersOf(address: StreetAddress): number[] {
  const last = address.high ?? address.low;
  return Array.from({ length: (last - address.low) / 2 + 1 }, (_, step) => address.low + 2 * step);
}

/** Key of the street, to detect two addresses with the same number. Treats Saint and its abbreviation alike. */
export const streetKey = (address: StreetAddress): string =>
  joined(address.pre, address.name, address.suffix, address.post);

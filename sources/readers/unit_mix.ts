/**
 * Unit mixes as brokers write them. A text is one of these items, or several with a separator between them:
 *
 *   count type   "4x1BR", "(4) 1-bed", "4 two-bedroom units", "4 1BR/1BA", "2 studios", "4-1/1" (beds/baths)
 *   type count   "1BR: 4", "Studio (2)", "2 bed x 4", "1BR/1BA - 4"
 *   separators   , ; / | + & "and", or a line break
 *
 * "8 units:" may stand before the items, and must be their sum. Any other text is null, because a wrong mix gives a
 * wrong rent: so are "1BR, 2BR" (no counts), "4x2" (units and beds, or beds and baths), "2-3 BR" (a range, or 2 units).
 */
import { optional, tidy } from '../values.ts';

/** Number of units by number of bedrooms; the last is four or more. */
export type UnitMix = readonly [studios: number, one: number, two: number, three: number, fourOrMore: number];

/** Columns of a listing that hold the mix. */
export const MIX_COLUMNS = ['units_0br', 'units_1br', 'units_2br', 'units_3br', 'units_4br'] as const;

/** A longer text is a description. */
const MAX_LENGTH = 300;
const MAX_BEDROOMS = 4;

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const WORD = new RegExp(`\\b(?:${WORDS.join('|')})\\b`, 'gu');

const BEDROOMS = /(\d)\+?[ -]*(?:bed(?:room)?s?|bdrms?|bds?|brs?)\.?(?![a-wyz])/uy;
const STUDIO = /(?:studios?|efficienc(?:y|ies)|bachelors?)(?![a-wyz])/uy;
const BATHS = / *[/,-]? *\d(?:\.\d{1,2})?[ -]*(?:bath(?:room)?s?|ba)\.?(?![a-z])/uy;
const UNITS = / +(?:units?|apts?|apartments?)(?![a-z])\.?/uy;
const BEDS_AND_BATHS = /(\d) ?\/ ?\d(?:\.\d{1,2})?(?!\d| *[bx])/uy;

const COUNT_IN_PARENTHESES = /\((\d{1,4})\) *[-x]? */uy;
const COUNT_JOINED = /(\d{1,4}) *([-x]) */uy;
const COUNT_APART = /(\d{1,4}) +/uy;
const COUNT_AFTER = / *(?:([-:=x]) *(\d{1,4})|\((\d{1,4})(?: units?)?\))(?!\d|\.\d)/uy;

const TITLE = /unit mix *[-:]? */uy;
const TOTAL = /(\d{1,4}) (?:total )?units? *[-:] */uy;
const SEPARATOR = / *(?:[,;/|+&]|and\b)(?: *(?:[,;/|+&]|and\b))* */uy;
const END = / *[.;,]? *$/uy;

/** A place in a text, moved by each match. */
class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Match here and move behind it, or stay. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.at = pattern.lastIndex;
    return match;
  }
}

interface Item {
  readonly count: number;
  readonly bedrooms: number;
  /** Has a second meaning if it is the only item: "2-3 BR" is a range, "3BR-2" beds and baths. */
  readonly isUnclear: boolean;
}

/** A type in words, with its baths: "1BR", "2-bed/1-bath units", "studios". */
function typeAt(reader: Reader): number | null {
  const bedrooms = reader.take(BEDROOMS)?.[1] ?? (reader.take(STUDIO) === null ? undefined : '0');
  if (bedrooms === undefined) return null;
  reader.take(BATHS);
  reader.take(UNITS);
  return Number(bedrooms);
}

function countThenType(reader: Reader): Item | null {
  const joined = reader.take(COUNT_IN_PARENTHESES) ?? reader.take(COUNT_JOINED);
  const count = Number((joined ?? reader.take(COUNT_APART))?.[1] ?? NaN);
  if (Number.isNaN(count)) return null;
  const inWords = typeAt(reader);
  if (inWords === null && joined === null) return null;
  const bedrooms = inWords ?? Number(reader.take(BEDS_AND_BATHS)?.[1] ?? NaN);
  if (Number.isNaN(bedrooms)) return null;
  if (inWords === null) reader.take(UNITS);
  return { count, bedrooms, isUnclear: joined?.[2] === '-' && count < bedrooms };
}

function typeThenCount(reader: Reader): Item | null {
  const bedrooms = typeAt(reader);
  const match = bedrooms === null ? null : reader.take(COUNT_AFTER);
  if (bedrooms === null || match === null) return null;
  return { count: Number(match[2] ?? match[3]), bedrooms, isUnclear: match[1] === '-' };
}

function itemAt(reader: Reader): Item | null {
  const start = reader.at;
  const item = countThenType(reader);
  if (item !== null) return item;
  reader.at = start;
  return typeThenCount(reader);
}

/** The mix of some items; null if they have no unit. */
function mixOf(items: readonly Pick<Item, 'count' | 'bedrooms'>[]): UnitMix | null {
  const of = (bedrooms: number): number =>
    items.reduce((sum, item) => sum + (Math.min(item.bedrooms, MAX_BEDROOMS) === bedrooms ? item.count : 0), 0);
  const mix: UnitMix = [of(0), of(1), of(2), of(3), of(MAX_BEDROOMS)];
  return mix.some((count) => count > 0) ? mix : null;
}

const totalOf = (mix: UnitMix): number => mix.reduce((sum, count) => sum + count, 0);

/** The mix that a text states; null for none, and for a text that can be read in two ways. */
export function parseUnitMix(printed: unknown): UnitMix | null {
  if (typeof printed !== 'string' || printed.length > MAX_LENGTH) return null;
  const text = (tidy(printed) ?? '')
    .toLowerCase()
    .replaceAll(/[\n\r]+/gu, ';')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\u2010-\u2015]/gu, '-')
    .replaceAll('×', 'x')
    .replaceAll(WORD, (word) => String(WORDS.indexOf(word) + 1));
  const reader = new Reader(text);
  reader.take(TITLE);
  const total = reader.take(TOTAL)?.[1];
  const items: Item[] = [];
  do {
    const item = itemAt(reader);
    if (item === null) return null;
    items.push(item);
    if (reader.take(END) !== null) {
      const mix = mixOf(items);
      const isUnclear = items.length === 1 && items[0]?.isUnclear === true;
      return mix === null || isUnclear || (total !== undefined && totalOf(mix) !== Number(total)) ? null : mix;
    }
  } while (reader.take(SEPARATOR) !== null);
  return null;
}

/** A count in a field of its own, such as "4" or "4 units"; 0 if blank, null if it is no count. */
function countOf(value: unknown): number | null {
  if (typeof value === 'boolean' || typeof value === 'object') return value === null ? 0 : null;
  const text = optional(value)?.replace(/ ?units?$/iu, '') ?? '0';
  return /^\d{1,4}(?:\.0+)?$/u.test(text) ? Number(text) : null;
}

/** The mix of units that a source states by type; null if it states none, or if one is not a number. */
export function mixOfTypes(
  types: readonly { readonly bedrooms: number | null; readonly count: unknown }[],
): UnitMix | null {
  const items = types.map(({ bedrooms, count }) => ({ bedrooms, count: countOf(count) }));
  const known = items.flatMap(({ bedrooms, count }) =>
    bedrooms === null || count === null ? [] : [{ bedrooms, count }],
  );
  return known.length === items.length ? mixOf(known) : null;
}

/** The mix of a source that may state it in two ways; null if they differ. */
export function agreedMix(one: UnitMix | null, other: UnitMix | null): UnitMix | null {
  if (one === null || other === null) return one ?? other;
  return one.every((count, at) => count === other[at]) ? one : null;
}

/** The columns of a listing for its mix. */
export const mixValues = (mix: UnitMix | null): Readonly<Record<string, number | null>> =>
  Object.fromEntries(MIX_COLUMNS.map((column, bedrooms) => [column, mix?.[bedrooms] ?? null]));

/** Number of bedrooms that a word for a type of unit states: "2 Bedroom", "FourBedroomOrMore", "Efficiency". */
export function bedroomsOfType(value: unknown): number | null {
  const text = (typeof value === 'string' ? (optional(value) ?? '') : '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, ' ')
    .toLowerCase()
    .replaceAll(WORD, (word) => String(WORDS.indexOf(word) + 1))
    .replace(/ or more$/u, '');
  const reader = new Reader(text);
  const bedrooms = typeAt(reader);
  return reader.take(END) === null ? null : bedrooms;
}

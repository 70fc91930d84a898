/**
 * Street addresses normalized for exact comparison: upper case, no punctuation, the forms of USPS Publication 28, unit
 * separate, ranges of house numbers understood. Two spellings of one address come out equal; two addresses never do.
 * Text that is not certain stays as written. One function for the rows of a run (models/functions.ts) and for what a
 * buyer types.
 */
import {
  BARE_UNIT,
  DIRECTIONS,
  SPELLINGS,
  splitUnit,
  SUFFIXES,
  withOrdinals,
  withoutAllUnits,
  withRoad,
} from './forms.ts';

/** Between the numbers of a list or range: "912 - 914", "912, 914 & 916". Deterministic, so it never backtracks. */
const JOINT = String.raw`[-&/,]|\b(?:AND|TO|THRU|THROUGH)\b`;
const BETWEEN = String.raw`\s*(?:${JOINT})(?:\s|${JOINT})*`;
const HOUSE_LIST = new RegExp(String.raw`^\s*(\d+)${BETWEEN}(?:\d+${BETWEEN})*(\d+)\b([^/]|$)`);

/** Units at the end of a line: "APT 1 & 2", "UNITS A, B AND C", "# 1 - 8". */
const LISTED_UNIT = String.raw`(?:\d+[A-Z]?|[A-Z]\d*)`;
const BEFORE_UNITS = String.raw`(?:\b(?:APARTMENTS?|APTS?|UNITS?)\b|#)[ #]*`;
const UNIT_LIST = new RegExp(
  String.raw`(?<=${BEFORE_UNITS})${LISTED_UNIT}(?:\s*(?:${JOINT})(?:[\s#]|${JOINT})*${LISTED_UNIT})+(?=\W*$)`,
);
const NUMBERS = Array.from({ length: 99 }, (_, i) => String(i + 1));
const UNITS_IN_ORDER = `&${[...NUMBERS, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].join('&')}&`;

/** "1 TO 8" is 1-8, "1, 2 AND 3" is 1-3, "1 & 4" is 1&4. */
function listForm(units: string): string {
  const list = units
    .replaceAll(/\s*(?:-|\b(?:TO|THRU|THROUGH)\b)\s*/g, '-')
    .replaceAll(/\s*(?:[&/,#]|\bAND\b)(?:[\s&/,#]|\bAND\b)*/g, '&');
  return UNITS_IN_ORDER.includes(`&${list}&`) ? list.replace(/&(?:.*&)?/, '-') : list;
}

/** Upper case without accents: ½ is 1/2, ß is SS. */
const upperCase = (text: string): string =>
  /^[ -~]*$/.test(text)
    ? text.toUpperCase()
    : text
        .replaceAll(/[\u00BC-\u00BE\u2150-\u215F]/g, (fraction) => ` ${fraction.normalize('NFKD').replace('⁄', '/')}`)
        .normalize('NFKD')
        .replaceAll(/\p{M}/gu, '')
        .toUpperCase();

const FRACTIONS: Readonly<Record<string, string>> = { 5: ' 1/2', 50: ' 1/2', 25: ' 1/4', 75: ' 3/4' };

/** Decimals that are fractions: "912.5" is 912 1/2. Other decimals keep their point: 24.3 is not 243, L.4 is not L4. */
const withoutPoints = (text: string): string =>
  text
    .replaceAll(/(?<=\d)\.(50?|25|75)\b/g, (_, decimal: string) => FRACTIONS[decimal] ?? '')
    .replaceAll(/\.(?!\d)/g, '')
    .replaceAll(/(?<=[A-Z]{2}|\b[NSEW])\./g, ' ')
    .replaceAll(/(?<![A-Z\d])\./g, '');

/**
 * Upper case, no accents, no punctuation except the hyphen of a number. "#" is a word. "912 - 914", "912 & 914" and
 * "912, 914" become ranges, "912-A" becomes 912A. A house number of Wisconsin's grid becomes one word.
 */
const addressLine = (street: string): string =>
  withoutPoints(upperCase(street.replaceAll(/\s+/g, ' ').trim()))
    .replaceAll(/['’`"]/g, '')
    .replaceAll('#', ' # ')
    .replace(/^(\d+) ?- ?(?:([A-Z])\b|(?=[13]\/[24]\b))/, (_, number: string, letter?: string) =>
      letter === undefined ? `${number} ` : `${number}${letter} `,
    )
    .replace(HOUSE_LIST, '$1-$2$3')
    .replace(UNIT_LIST, listForm)
    .replaceAll(/[^\p{L}\p{N}#&/;.-]+/gu, ' ')
    .replace(/^([NSEW]) ?(\d+)[ -]?([NSEW]) ?(\d+)(?= )/, '$1$2$3$4')
    .replaceAll(/(?<=[A-Z]{2})-(?=[A-Z]{2})/g, ' ')
    .replaceAll(/ -+(?= |$)/g, '')
    .trim();

/** A line may name several addresses of a parcel: "101 MAIN ST AKA 2 OAK AVE", "12 A ST & 14 B ST". */
const addressLines = (street: string): string[] =>
  addressLine(street)
    .split(/(?:\s*(?:;|&|\bAKA\b|\bA\/K\/A\b)|\s+\/)\s*(?=\d+[A-Z]?(?:-\d+)? [A-Z0-9])/)
    .filter((line) => line !== '');

export interface AddressParts {
  /** The whole address: equal for all spellings of it. */
  readonly address_key: string;
  readonly street_key: string;
  /** First and last number of a range; equal for a single number; null for a grid number such as W156N8480. */
  readonly house_low: number | null;
  readonly house_high: number | null;
  readonly unit_key: string | null;
}

/** Grid numbers are of Wisconsin (W156N8480, N5234) and Illinois (1N234, 25W123). The number 0 is of vacant land. */
const HOUSE =
  /^(0*[1-9]\d*(?:-\d+)?[A-Z]?(?: [13]\/[248])?|[NSEW]\d+[NSEW]\d+|[NSEW]\d{3,5}|\d{1,2}[NSEW]\d{2,5}[A-Z]?) (.+)$/;
const BEHIND = /^(?:(\d\S*) REAR|REAR (\d\S*)) (\S+ .+)$/;
const KING = /\b(?:(?:DR|DOCTOR|REV) )?(?:MARTIN (?:LUTHER|L) KING|M ?L ?KING|M ?L ?K)(?: (?:JR|JUNIOR))?\b/;

/**
 * One form for names that every source writes differently. Both flats of a double are the whole building; the front and
 * rear houses of a lot are two.
 */
const wellKnownNames = (street: string): string =>
  withRoad(withOrdinals(street))
    .replace(KING, 'MLK')
    .replace(/ (?:UP|UPPER|UPPR)(?: ?[/&-] ?| AND | )(?:DOWN|DN|LOWER|LOWR)$/, '')
    .replace(/ (?:FRONT|FRNT)(?: ?[/&-] ?| AND )REAR$/, ' FRONT REAR');

type Words = readonly string[];
const isSuffix = (word: string | undefined): boolean => SUFFIXES.has(word ?? '');
const isDirection = (word: string | undefined): boolean => DIRECTIONS.has(word ?? '');
const isDigits = (word: string): boolean => /^\d+$/.test(word);
const isLetter = (word: string): boolean => word.length === 1 && !isDigits(word);
const withoutZeros = (digits: string): string => digits.replace(/^0+/, '');

/**
 * A letter after Avenue is its name: "AVENUE K", "W AVENUE K". So is a number after an abbreviated direction: "N AVENUE
 * 53". "NORTH AVE 4" is unit 4 of North Avenue.
 */
function isNamedAvenue(words: Words): boolean {
  const [first = '', , third = ''] = words;
  if (SUFFIXES.get(words.at(-2) ?? '') !== 'AVE') return false;
  if (words.length === 2) return isLetter(words[1] ?? '');
  return words.length === 3 && isDirection(first) && (isLetter(third) || (first.length <= 2 && isDigits(third)));
}

/** Whether these words end a street, so that the next word is a unit: "MAIN ST", "MAIN ST N", "AVENUE K". */
const isWholeStreet = (words: Words): boolean =>
  words.length >= 2 &&
  (isSuffix(words.at(-1)) ||
    (words.length >= 3 && isDirection(words.at(-1)) && isSuffix(words.at(-2))) ||
    isNamedAvenue(words));

/** A direction at the end needs a name before it, as in "MAIN ST N" and "BROADWAY NW". "AVENUE N" has none. */
const endsInDirection = (words: Words): boolean =>
  isDirection(words.at(-1)) && !isDirection(words.at(-2)) && words.length >= (isSuffix(words.at(-2)) ? 3 : 2);

/**
 * Two directions at the start are one: "NORTH EAST MAIN ST" is NE MAIN ST. Not if the second makes a name with the only
 * other word: "NORTH WEST HAVEN RD" is the north end of West Haven Road.
 */
const startsWithTwoDirections = (words: Words): boolean =>
  words.length >= 4 &&
  /^(?:(?:NORTH|SOUTH) (?:EAST|WEST)|[NS] [EW])$/.test(`${words[0]} ${words[1]}`) &&
  (words.length > 4 || !isSuffix(words[2]));

/** How many words before the name are directions. A direction needs a name: in "NORTH AVE" it is the name. */
function directionsBefore(words: Words): 0 | 1 | 2 {
  if (startsWithTwoDirections(words)) return 2;
  const hasName = words.length >= 3 || (words.length === 2 && !isSuffix(words[1]));
  return hasName && isDirection(words[0]) ? 1 : 0;
}

/** A number with its ending: 21ST, 112TH. */
const ordinalOf = (number: string): string =>
  number + ((number.at(-2) !== '1' && { 1: 'ST', 2: 'ND', 3: 'RD' }[number.at(-1) ?? '']) || 'TH');

const nameWord = (word: string): string => SPELLINGS.get(word) ?? SUFFIXES.get(word) ?? word;

/** A word of the name before the suffix. A bare number is an ordinal there: "E 105 ST" is E 105TH ST. */
function innerWord(word: string): string {
  const bare = withoutZeros(word);
  if (isDigits(word) && bare.length >= 1 && bare.length <= 3) return ordinalOf(bare);
  return word.startsWith('0') && /^\d+(?:ST|ND|RD|TH)$/.test(bare) ? bare : nameWord(word);
}

function streetForm(all: Words): string {
  const post = endsInDirection(all) ? [DIRECTIONS.get(all.at(-1) ?? '')] : [];
  const words = all.slice(0, all.length - post.length);
  const before = directionsBefore(words);
  const directions = words.slice(0, before).map((word) => (before === 2 ? word.charAt(0) : DIRECTIONS.get(word)));
  const last = words.at(-1) ?? '';
  const suffix = SUFFIXES.get(last) ?? nameWord(last);
  const pre = before === 0 ? [] : [directions.join('')];
  return [...pre, ...words.slice(before, -1).map(innerWord), suffix, ...post].join(' ');
}

/** Numbers are INTEGER in DuckDB. */
const MAX_HOUSE = 2_147_483_647;
const integerOf = (text: string): number | null => (isDigits(text) && Number(text) <= MAX_HOUSE ? Number(text) : null);

/** The house number with the ends of its range. "912-14" is 912 to 914; "20-18" is no range. */
function houseForm(house: string): { form: string; low: number | null; high: number | null } {
  const [first = '', second] = (house.split(' ')[0] ?? '').replaceAll(/[A-Z]+(?=-|$)/g, '').split('-');
  const start = withoutZeros(first);
  const low = integerOf(start);
  if (low === null) return { form: house.replace(/^0+(?=\d)/, ''), low, high: low };
  const end = integerOf(start.slice(0, Math.max(0, start.length - (second?.length ?? 0))) + (second ?? ''));
  const high = Math.max(low, end ?? low);
  if (/[A-Z/]/.test(house)) return { form: withoutZeros(house), low, high };
  if (high > low) return { form: `${low}-${high}`, low, high };
  return { form: second === undefined || start === withoutZeros(second) ? String(low) : house, low, high };
}

/** The parts of one line, or null if it has no house number. */
function partsOfLine(line: string): AddressParts | null {
  const [, house, text] = HOUSE.exec(line.replace(BEHIND, '$1$2 $3 REAR')) ?? [];
  if (house === undefined || text === undefined) return null;
  let { street, unit } = splitUnit(wellKnownNames(text));
  const [, rest, bare] = (unit === null && BARE_UNIT.exec(street)) || [];
  if (rest !== undefined && isWholeStreet(rest.split(' ')) && !isNamedAvenue(street.split(' '))) {
    street = rest;
    unit = `# ${withoutZeros(bare ?? '') || '0'}`;
  }
  const street_key = streetForm(street.split(' '));
  const { form, low, high } = houseForm(house);
  const address_key = [form, street_key, ...(unit === null ? [] : [unit])].join(' ');
  return { address_key, street_key, house_low: low, house_high: high, unit_key: unit };
}

/** The parts of each address of a street as published, in their order; null for one without a house number. */
export const addressesOf = (street: string): (AddressParts | null)[] => addressLines(street).map(partsOfLine);

/** The parts of a street as published; of the first address if it names several. */
export const addressParts = (street: string): AddressParts | null => addressesOf(street)[0] ?? null;

/** The parts of the street of a listing: those of the building if it names all its units. */
export const listingParts = (street: string, units: number | null): AddressParts | null =>
  addressParts(withoutAllUnits(addressLine(street), units));

/** A post office box receives mail; no building is there. */
export const isPoBox = (street: string): boolean =>
  /^\W*(?:P(?:OST)?\W*O(?:FFICE)?\W*)?(?:BOX|DRAWER)\b/.test(street.toUpperCase());

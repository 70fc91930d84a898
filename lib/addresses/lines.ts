/** The lines of a street as published, one per address, in upper case and with one form for lists of numbers. */

/** Between the numbers of a list or range: "912 - 914", "912, 914 & 916". Deterministic, so it never backtracks. */
const JOINT = String.raw`[-&/,]|\b(?:AND|TO|THRU|THROUGH)\b`;
const BETWEEN = String.raw`\s*(?:${JOINT})(?:\s|${JOINT})*`;
const HOUSE_LIST = new RegExp(String.raw`^\s*(\d+)${BETWEEN}(?:\d+${BETWEEN})*(\d+)\b([^/]|$)`);

/** Units at the end of a line: "APT 1 & 2", "UNITS A, B AND C", "# 1 - 8". */
const UNIT = String.raw`(?:\d+[A-Z]?|[A-Z]\d*)`;
const BEFORE_UNITS = String.raw`(?:\b(?:APARTMENTS?|APTS?|UNITS?)\b|#)[ #]*`;
const UNIT_LIST = new RegExp(
  String.raw`(?<=${BEFORE_UNITS})${UNIT}(?:\s*(?:${JOINT})(?:[\s#]|${JOINT})*${UNIT})+(?=\W*$)`,
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
export const addressLine = (street: string): string =>
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
export const addressLines = (street: string): string[] =>
  addressLine(street)
    .split(/(?:\s*(?:;|&|\bAKA\b|\bA\/K\/A\b)|\s+\/)\s*(?=\d+[A-Z]?(?:-\d+)? [A-Z0-9])/)
    .filter((line) => line !== '');

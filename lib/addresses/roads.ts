/** Numbered and lettered roads as one word, so that the number is read neither as a unit nor as another road. */
import { DIRECTIONS, SUFFIXES } from './forms.ts';
import { isUnitWord } from './units.ts';

const ROAD = '(?:ROAD|RD)';
const HIGHWAY = '(?:HIGHWAY|HWY)';
const ROUTE = '(?:ROUTE|RTE|RT)';
const COUNTY = `(?:COUNTY|CO|CTY)(?: TRUNK)? (?:${ROAD}|${HIGHWAY}|TRUNK)|CTH|CR`;

/** Roads with a number, which may follow other words of the street: the form, and the names before the number. */
const NUMBERED = [
  ['SR', `STATE (?:${ROUTE}|${ROAD}|${HIGHWAY})|ST (?:RTE|RT)|S[RH]|STH|OH|OHIO|TX|TEXAS`],
  ['US', `(?:US|U S)(?: (?:${ROUTE}|${HIGHWAY}))?|USH`],
  ['CR', COUNTY],
  ['TWP', `(?:TOWNSHIP|TWP) ${ROAD}|TWP`],
] as const;

/** Roads with a number at the start of the street: elsewhere their names are those of a unit or of a street. */
const NUMBERED_AT_START = [
  ['IH', `INTERSTATE(?: ${HIGHWAY})?|IH?`],
  ['FM', `FARM(?: TO MARKET)? ${ROAD}|FARM TO MARKET|FM(?: ${ROAD})?`],
  ['RM', `RANCH TO MARKET(?: ${ROAD})?|RM(?: ${ROAD})?`],
  ['RR', `RANCH ${ROAD}|RR`],
  ['PVR', `PRIVATE ${ROAD}|PVR|PR`],
  ['LOOP', '(?:STATE )?(?:LOOP|LP)'],
  ['SPUR', '(?:STATE )?SPUR'],
  ['RTE', `${HIGHWAY}|${ROUTE}`],
] as const;

/** Roads with a letter or two, and perhaps a number: County Road B2, County Highway PP, Missouri's State Highway D. */
const LETTERED = [
  ['SR', `STATE (?:${ROUTE}|${HIGHWAY})|ST (?:RTE|RT)|SR|STH`],
  ['CR', COUNTY],
  ['RTE', `${HIGHWAY}|${ROUTE}`],
] as const;

const START = `^((?:(?:${[...DIRECTIONS.keys()].join('|')}) ){0,2}(?:OLD )?)`;
/** Five digits are a ZIP, except of a county road. */
const numberOf = (form: string): string => String.raw`[ -]?(\d{1,${form === 'CR' ? 5 : 4}}[A-Z]?(?:\.\d+)?)(?= |$)`;

const patternsOf = (
  roads: readonly (readonly [form: string, names: string])[],
  before: string,
  after: (form: string) => string,
) => roads.map(([form, names]) => ({ form, pattern: new RegExp(`${before}(?:${names})${after(form)}`) }));

const NUMBERED_PATTERNS = [
  ...patternsOf(NUMBERED, '^(|.*? )', numberOf),
  ...patternsOf(NUMBERED_AT_START, START, numberOf),
];
const LETTERED_PATTERNS = patternsOf(LETTERED, START, () => String.raw`[ -]([A-Z]{1,2}\d?)(?= |$)`);

/** FM, RM and RR may have Road after their number: "FM 1960 WEST ROAD". */
const ROAD_AFTER = new RegExp(String.raw`^(.*\b(?:FM|RM|RR)\d+[A-Z]?(?: (?:[NSEW]|NORTH|SOUTH|EAST|WEST))?) ${ROAD}\b`);
const TWO_DIRECTIONS = /^([NS])(?:ORTH|OUTH)? ([EW])(?:AST|EST)? (?=(?:LOOP|SPUR)\d)/;

/** Two letters that are another word: a suffix, a directional or the designator of a unit. */
const isWord = (letters: string): boolean =>
  letters.length > 1 && (SUFFIXES.has(letters) || DIRECTIONS.has(letters) || isUnitWord(letters));

/** A street with its road in one form: "STATE RT 39" and Ohio's "OH-39" are SR39. */
export function withRoad(street: string): string {
  for (const { form, pattern } of NUMBERED_PATTERNS) {
    if (!pattern.test(street)) continue;
    return street.replace(pattern, `$1${form}$2`).replace(ROAD_AFTER, '$1').replace(TWO_DIRECTIONS, '$1$2 ');
  }
  for (const { form, pattern } of LETTERED_PATTERNS) {
    const letters = pattern.exec(street)?.[2];
    if (letters !== undefined && !isWord(letters)) return street.replace(pattern, `$1${form}-$2`);
  }
  return street;
}

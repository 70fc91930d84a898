/** Numbered and lettered roads as one word, so that the number is read neither as a unit nor as another road. */
import { DIRECTIONS, SUFFIXES } from './forms.ts';
import { isUnitWord } from './units.ts';

const ROAD = '(?:ROAD|RD)';
const HIGHWAY = '(?:HIGHWAY|HWY)';
const ROUTE = '(?:ROUTE|RTE|RT)';
const COUNTY = `(?:COUNTY|CO|CTY)(?: TRUNK)? (?:${ROAD}|${HIGHWAY}|TRUNK)|CTH|CR`;

/** Names before a number, which may follow other words of the street, by the form of the road. */
const ANYWHERE = {
  SR: `STATE (?:${ROUTE}|${ROAD}|${HIGHWAY})|ST (?:RTE|RT)|S[RH]|STH|OH|OHIO|TX|TEXAS`,
  US: `(?:US|U S)(?: (?:${ROUTE}|${HIGHWAY}))?|USH`,
  CR: COUNTY,
  TWP: `(?:TOWNSHIP|TWP) ${ROAD}|TWP`,
};

/** Names before a number at the start of the street: elsewhere they are those of a unit or of a street. */
const AT_START = {
  IH: `INTERSTATE(?: ${HIGHWAY})?|IH?`,
  FM: `FARM(?: TO MARKET)? ${ROAD}|FARM TO MARKET|FM(?: ${ROAD})?`,
  RM: `RANCH TO MARKET(?: ${ROAD})?|RM(?: ${ROAD})?`,
  RR: `RANCH ${ROAD}|RR`,
  PVR: `PRIVATE ${ROAD}|PVR|PR`,
  LOOP: '(?:STATE )?(?:LOOP|LP)',
  SPUR: '(?:STATE )?SPUR',
  RTE: `${HIGHWAY}|${ROUTE}`,
};

/** Names before letters: County Road B2, County Highway PP, Missouri's State Highway D. */
const LETTERED = {
  SR: `STATE (?:${ROUTE}|${HIGHWAY})|ST (?:RTE|RT)|SR|STH`,
  CR: COUNTY,
  RTE: `${HIGHWAY}|${ROUTE}`,
};

const START = `^((?:(?:${[...DIRECTIONS.keys()].join('|')}) ){0,2}(?:OLD )?)`;
/** Five digits are a ZIP, except of a county road. */
const numberOf = (form: string): string => String.raw`[ -]?(\d{1,${form === 'CR' ? 5 : 4}}[A-Z]?(?:\.\d+)?)`;

const patternsOf = (roads: Readonly<Record<string, string>>, before: string, after: (form: string) => string) =>
  Object.entries(roads).map(([form, names]) => ({
    form,
    pattern: new RegExp(`${before}(?:${names})${after(form)}(?= |$)`),
  }));

const NUMBERED_ROADS = [...patternsOf(ANYWHERE, '^(|.*? )', numberOf), ...patternsOf(AT_START, START, numberOf)];
const LETTERED_ROADS = patternsOf(LETTERED, START, () => String.raw`[ -]([A-Z]{1,2}\d?)`);

/** FM, RM and RR may have Road after their number: "FM 1960 WEST ROAD". */
const ROAD_AFTER = new RegExp(String.raw`^(.*\b(?:FM|RM|RR)\d+[A-Z]?(?: (?:[NSEW]|NORTH|SOUTH|EAST|WEST))?) ${ROAD}\b`);
const TWO_DIRECTIONS = /^([NS])(?:ORTH|OUTH)? ([EW])(?:AST|EST)? (?=(?:LOOP|SPUR)\d)/;

/** A street with its road in one form: "STATE RT 39" and Ohio's "OH-39" are SR39, "CO RD K" is CR-K. */
export function withRoad(street: string): string {
  const road = NUMBERED_ROADS.find(({ pattern }) => pattern.test(street));
  if (road !== undefined)
    return street.replace(road.pattern, `$1${road.form}$2`).replace(ROAD_AFTER, '$1').replace(TWO_DIRECTIONS, '$1$2 ');
  for (const { form, pattern } of LETTERED_ROADS) {
    const letters = pattern.exec(street)?.[2] ?? '';
    // "COUNTY ROAD NE" and "HIGHWAY LN" have another word there.
    const isWord = letters.length > 1 && [SUFFIXES, DIRECTIONS].some((words) => words.has(letters));
    if (letters !== '' && !isWord && !isUnitWord(letters)) return street.replace(pattern, `$1${form}-$2`);
  }
  return street;
}

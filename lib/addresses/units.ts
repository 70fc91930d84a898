/** The unit at the end of a street: a designator with its number, a floor, or a place. */
import { formsIn } from './forms.ts';

/** Words that a unit's number or letter follows, as alternatives of a regular expression. */
export const UNIT_DESIGNATORS =
  'APARTMENTS?|APTS?|UNITS?|SUITE|STE|ROOM|RM|BUILDING|BLDG|LOT|TRAILER|TRLR|SPACE|SPC|DEPT|FLOOR|FLR|FL|PENTHOUSE|PH' +
  '|NO|#';

/** Words that are a unit by themselves, as alternatives of a regular expression. */
export const UNIT_PLACES = 'REAR|UPPER|UPPR|UP|LOWER|LOWR|DOWN|DN|FRONT|FRNT|BASEMENT|BSMT';

const UNIT_WORD = new RegExp(`^(?:${UNIT_DESIGNATORS}|${UNIT_PLACES})$`);
export const isUnitWord = (word: string): boolean => UNIT_WORD.test(word);

/** Of a street without its house number: everything before the unit, and the unit. */
const UNIT = new RegExp(
  `^(.*?)((?: (?:${UNIT_DESIGNATORS})(?: #)? (?:[A-Z]{0,2}-?\\d[A-Z0-9&.-]*|[A-Z](?:[&-][A-Z])*)` +
    `| (?:\\d+(?:ST|ND|RD|TH)|FIRST|SECOND|THIRD) (?:FLOOR|FLR|FL)| (?:${UNIT_PLACES}))+)$`,
);

/** Apartment, suite and a bare number are one thing; buildings, floors and lots are not. */
const FORMS = formsIn(`
  #:APARTMENT,APARTMENTS,APT,APTS,UNIT,UNITS,SUITE,STE,ROOM,RM,NO,DEPT BLDG:BUILDING FL:FLOOR,FLR
  1ST:FIRST 2ND:SECOND 3RD:THIRD UPPR:UPPER,UP LOWR:LOWER,DOWN,DN FRNT:FRONT BSMT:BASEMENT`);

/** One form of a unit. "1-A" is 1A, but "1-2" are two units. */
const formOf = (unit: string): string =>
  unit
    .replaceAll(/\b[A-Z]+\b/g, (word) => FORMS.get(word) ?? word)
    .replaceAll(/# #/g, '#')
    .replaceAll(/\b([A-Z])-(\d)/g, '$1$2')
    .replaceAll(/\b(\d+)-([A-Z])\b/g, '$1$2')
    .replaceAll(/\b(\d+)(?:ST|ND|RD|TH) FL\b/g, 'FL $1')
    .replaceAll(/([#A-Z]) 0*(\w)/g, '$1 $2')
    .trim();

/** A street without its house number: the street, and the form of its unit, or null. */
export function splitUnit(text: string): { street: string; unit: string | null } {
  const [, street, unit] = UNIT.exec(text) ?? [];
  return street === undefined || unit === undefined ? { street: text, unit: null } : { street, unit: formOf(unit) };
}

/** A bare number or letter at the end, which may be a unit: "MAIN ST 4". */
export const BARE_UNIT = /^(.+) (\d+[A-Z]?|[A-DF-MO-RT-VX-Z]\d*)$/;

const ALL_UNITS = / (?:UNITS?|APARTMENTS?|APTS?|#)(?: #)? (?:1-(\d+)|A-([B-Z]))$/;

/**
 * A line without its units if it names all units of the building: "UNITS 1-8", unless the listing states another
 * number. Without a stated number, "# 1-101" is apartment 101 of the first building.
 */
export function withoutAllUnits(line: string, units: number | null): string {
  const [, last, letter] = ALL_UNITS.exec(line) ?? [];
  const named = letter === undefined ? Number(last) : letter.charCodeAt(0) - 64;
  const isAll = units === null ? named >= 2 && named <= 99 : named === units;
  return isAll ? line.replace(ALL_UNITS, '') : line;
}

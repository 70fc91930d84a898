/**
 * Reads an address and a parcel number as people type them: with or without commas, country, state by code or name,
 * ZIP+4, the unit in any place. The street goes to the normalizer of the records; the rest narrows the search.
 */
import { DIRECTIONS, SUFFIXES, UNIT_DESIGNATORS, UNIT_PLACES } from '../../../lib/addresses/forms.ts';
import type { KnownPlaces } from '../places.ts';
import { placeKey } from '../places.ts';
import { STATE_BY_NAME } from '../../../lib/states.ts';

/** A typed line, split. */
export interface TypedAddress {
  readonly street: string;
  readonly city?: string;
  readonly state?: string;
  readonly zip?: string;
}

/** The parts of a line: pieces between commas, and the place at their end. */
interface Taken {
  readonly before: string[];
  street: string;
  readonly after: string[];
  readonly units: string[];
  state?: string;
  zip?: string;
}

const FLOOR = String.raw`(?:\d+(?:st|nd|rd|th)|first|second|third) (?:floor|flr|fl)`;
const UNIT_NUMBER = String.raw`(?:[a-z]{0,2}-?\d[a-z0-9&-]*|[a-z])`;
/** A number of a unit, which is not that of a street: "Apt 4 5th St". */
const INNER_UNIT_NUMBER = String.raw`(?!\d+(?:st|nd|rd|th)\b)${UNIT_NUMBER}`;
/** Designators with no other meaning in an address; NO may mean North, and FL Florida. */
const PLAIN_DESIGNATOR = /^(?:APARTMENT|APT|UNIT|SUITE|STE\b|#)/u;

const DESIGNATORS = UNIT_DESIGNATORS.split('|');
const WORDS = DESIGNATORS.filter((word) => word !== '#').join('|');
const PLAIN = DESIGNATORS.filter((word) => PLAIN_DESIGNATOR.test(word)).join('|');
const NAMED = String.raw`(?:(?:${WORDS})\b\.?(?:\s*#)?\s*|#\s*)`;

/** Patterns of units, from the words of the normalizer. "Upper Arlington" is a city, "Upper" is a unit. */
const UNITS = {
  /** A whole piece between commas. */
  piece: new RegExp(String.raw`^(?:#|(?:${WORDS})\b|${FLOOR}\b|(?:${UNIT_PLACES})$)`, 'iu'),
  atEnd: new RegExp(String.raw`^(.*?)(?:^|\s)(${NAMED}${UNIT_NUMBER}|${FLOOR}|(?:${UNIT_PLACES}))$`, 'iu'),
  atStart: new RegExp(String.raw`^((?:${PLAIN})\.?(?:\s*#)?\s*${UNIT_NUMBER})\s+(?=\d)`, 'iu'),
  afterHouse: new RegExp(String.raw`^(\d\S*)\s+((?:${PLAIN})\.?(?:\s*#)?\s*${INNER_UNIT_NUMBER})\s+(?=\S)`, 'iu'),
  place: new RegExp(`^(?:${UNIT_PLACES})$`, 'iu'),
};

const STATES = [...STATE_BY_NAME.values()];
/** State codes that are neither a street suffix nor a direction, as CT and NE are. */
const PLAIN_STATES = new Set(STATES.filter((code) => !SUFFIXES.has(code) && !DIRECTIONS.has(code)));

const HOUSE = /^(?:rear\s+)?(?:\d|[nsew]\s?\d+\s?[nsew]\s?\d)/iu;
const ONLY_NUMBER = /^(?:\d+[a-z]?(?:-\d+)?|[nsew]?\d+[nsew]\d+)$/iu;
const COUNTRY = /^(.*?)\s*\b(?:U\.?\s?S\.?\s?A\.?|United States(?: of America)?)$/iu;
const SHORT_COUNTRY = /^(|.*\d{5}(?:-\d{4})?|.*\s[A-Za-z]{2})[\s,]*(?:US|U\.S\.?)$/u;
const ZIP = /^(.*?)\s*(?<![\dA-Za-z-])(\d{5})(?:[-\s]?\d{4})?$/u;
const STATE_CODE = /^(.*?)(?:^|\s)([A-Za-z]{2})$/u;
/** A comma, or a dash between words: "12 Main St - Akron". A dash between numbers is a range. */
const SEPARATOR = /,|(?<=[a-z.]{2}) [-–—|] (?=[a-z]{2})/iu;
/** Most words of a city's name. */
const MAX_CITY_WORDS = 5;

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');
const withoutDots = (text: string): string => text.replaceAll(/^[\s.]+|[\s.]+$/g, '');

/** Whether a house number and a street can be read from these words. */
const areAStreet = (words: readonly string[]): boolean => words.length > 2 || (words[1]?.length ?? 0) > 2;

/** The number of words at the end that are the name of a known city, in the state if one is given. */
function cityWordsAt(words: readonly string[], { cities }: KnownPlaces, state?: string): number {
  const keys = words.slice(-MAX_CITY_WORDS).map(placeKey);
  for (let count = keys.length; count > 0; count -= 1) {
    const city = cities.get(keys.slice(-count).filter(Boolean).join(' '));
    if (city && (state === undefined || city.states.has(state))) return count;
  }
  return 0;
}

/** The line in pieces: the street, which begins with the house number, and what is before and after it. */
function piecesOf(text: string): Taken {
  const pieces = text
    .replaceAll(/\s+/gu, ' ')
    .split(SEPARATOR)
    .map(withoutDots)
    .filter((piece) => piece !== '');
  const found = pieces.findIndex((piece) => HOUSE.test(piece));
  const at = Math.max(found, 0);
  const [before, [street = '', ...after]] = [pieces.slice(0, at), pieces.slice(at)];
  const next = after[0];
  if (next === undefined || !ONLY_NUMBER.test(street)) return { before, street, after, units: [] };
  // "37, West 69th Street" has one number; "912, 914 Main St" has two.
  const separator = /^\d+(?!\d*(?:st|nd|rd|th)\b)/iu.test(next) ? ', ' : ' ';
  return { before, street: street + separator + next, after: after.slice(1), units: [] };
}

/** Remove the match of a pattern from the end of the last piece. @returns the match, or undefined */
function takeEnd(taken: Taken, split: Split): string | undefined {
  const piece = taken.after.at(-1);
  const parts = split(piece ?? taken.street, piece === undefined);
  if (!parts) return undefined;
  const rest = withoutDots(parts[0]);
  if (piece === undefined) {
    if (rest === '') return undefined;
    taken.street = rest;
  } else if (rest === '') taken.after.pop();
  else taken.after[taken.after.length - 1] = rest;
  return parts[1];
}

/** A state's code at the end of a piece; of the street's piece only where it is no part of the street. */
function splitStateCode(
  piece: string,
  isStreet: boolean,
  { known, zip }: { known: KnownPlaces; zip: string | undefined },
) {
  const [, rest = '', code = ''] = STATE_CODE.exec(piece) ?? [];
  const state = code.toUpperCase();
  if (!STATES.includes(state)) return undefined;
  if (!isStreet) return [rest, state] as const;
  const words = wordsOf(rest);
  const isPlain = PLAIN_STATES.has(state) && words.length >= (zip === undefined ? 3 : 2);
  return isPlain || cityWordsAt(words, known, state) > 0 ? ([rest, state] as const) : undefined;
}

/** A state's name at the end of a piece: after a city, or as a piece of its own that is not the city. */
function splitStateName(piece: string, { known, taken }: { known: KnownPlaces; taken: Taken }) {
  const isStreet = taken.after.length === 0;
  const words = wordsOf(piece);
  for (const count of [3, 2, 1]) {
    const state = STATE_BY_NAME.get(words.slice(-count).join(' ').toUpperCase());
    if (state === undefined || words.length < count) continue;
    if (known.cities.has(placeKey(piece)) && (isStreet || taken.after.length === 1)) return undefined;
    const rest = words.slice(0, -count);
    const isWhole = rest.length === 0 && !isStreet;
    if (isWhole || cityWordsAt(rest, known, isStreet ? state : undefined) > 0) return [rest.join(' '), state] as const;
  }
  return undefined;
}

type Split = (piece: string, isStreet: boolean) => readonly [rest: string, found: string] | undefined;

/** Split by a pattern of two groups: the rest, and the match. */
const splitBy =
  (pattern: RegExp, isAllowed = (_rest: string): boolean => true): Split =>
  (piece, isStreet) => {
    const [match, rest = '', found = match] = pattern.exec(piece) ?? [];
    return found === undefined || (isStreet && !isAllowed(rest)) ? undefined : [rest, found];
  };

/** Remove country, ZIP, state and unit from the end, in any order. */
function takePlace(taken: Taken, known: KnownPlaces): void {
  // "Unit 10203" is no ZIP; "FL 33602" is one.
  const mayPrecedeZip = (rest: string): boolean => {
    const [last = '', ...more] = wordsOf(rest).reverse();
    return more.length > 0 && (STATES.includes(last.toUpperCase()) || !UNITS.piece.test(last));
  };
  const stateName: Split = (piece) => splitStateName(piece, { known, taken });
  for (let found: string | undefined = ''; found !== undefined;) {
    found = takeEnd(taken, splitBy(COUNTRY)) ?? takeEnd(taken, splitBy(SHORT_COUNTRY));
    if (taken.zip === undefined) {
      const zip = takeEnd(taken, splitBy(ZIP, mayPrecedeZip));
      if (zip !== undefined) found = taken.zip = zip;
    }
    if (taken.state === undefined) {
      const stateCode: Split = (piece, isStreet) => splitStateCode(piece, isStreet, { known, zip: taken.zip });
      const state = takeEnd(taken, stateCode) ?? takeEnd(taken, stateName);
      if (state !== undefined) found = taken.state = state;
    }
    const unit = takeEnd(taken, splitBy(UNITS.atEnd));
    if (unit !== undefined) {
      taken.units.unshift(unit);
      found = unit;
    }
  }
}

/** Move the units before, inside and after the street to its end. */
function gatherUnits(taken: Taken, known: KnownPlaces): void {
  const isUnit = (piece: string): boolean => UNITS.piece.test(piece) && !known.cities.has(placeKey(piece));
  const pieces = [...taken.before, ...taken.after];
  const units = [...pieces.filter(isUnit), ...taken.units];
  const places = taken.after.filter((piece) => !isUnit(piece));
  taken.after.splice(0, taken.after.length, ...places);
  taken.street = taken.street
    .replace(UNITS.atStart, (_, unit: string) => {
      units.unshift(unit);
      return '';
    })
    .replace(UNITS.afterHouse, (_, house: string, unit: string) => {
      units.unshift(unit);
      return `${house} `;
    });
  taken.units.splice(0, taken.units.length, ...units);
}

const COUNTY = /\bcounty$/iu;

/** The city between commas: the last known one, else the last; neither a county nor another address. */
function cityPiece({ after }: Taken, known: KnownPlaces): string | undefined {
  const isKnown = (piece: string): boolean => known.cities.has(placeKey(piece));
  const pieces = after.filter((piece) => isKnown(piece) || !(COUNTY.test(piece) || /^\d/u.test(piece)));
  return pieces.findLast(isKnown) ?? pieces.at(-1);
}

/** The street and a known city at the end of its words, as "37 W 69th St Cleveland". */
function cutCity({ street, state, zip }: Taken, known: KnownPlaces): { street: string; city: string } | undefined {
  const words = wordsOf(street);
  const count = cityWordsAt(words, known, state) || (state === undefined ? 0 : cityWordsAt(words, known));
  const rest = words.slice(0, words.length - count);
  if (count === 0 || !areAStreet(rest)) return undefined;
  // "12 Main St Upper Arlington" with no Upper Arlington known: a unit of Arlington only if the ZIP says so.
  if (zip === undefined && UNITS.place.test(rest.at(-1) ?? '')) return undefined;
  return { street: rest.join(' '), city: words.slice(-count).join(' ') };
}

/**
 * The readings of a typed line, the likeliest first. There are two if a known city at the end of the street may be part
 * of the street's name. The reading of a line does not depend on which records exist.
 */
export function readAddress(text: string, known: KnownPlaces): readonly TypedAddress[] {
  const taken = piecesOf(text);
  takePlace(taken, known);
  gatherUnits(taken, known);
  const { state, zip, units } = taken;
  const addressOf = (street: string, city: string | undefined): TypedAddress => ({
    street: [street, ...units].join(' '),
    ...(city === undefined ? {} : { city }),
    ...(state === undefined ? {} : { state }),
    ...(zip === undefined ? {} : { zip }),
  });
  const city = cityPiece(taken, known);
  const whole = addressOf(taken.street, city);
  const cut = city === undefined ? cutCity(taken, known) : undefined;
  if (cut === undefined) return [whole];
  const parted = addressOf(cut.street, cut.city);
  return state === undefined && zip === undefined ? [whole, parted] : [parted, whole];
}

/** A parcel number without spaces and dashes, as in the column parcel_key. */
export const parcelKeyOf = (apn: string): string => apn.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

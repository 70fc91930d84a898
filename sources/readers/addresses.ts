/** Addresses that a county prints as free text, split only if the text is unambiguous. Words stay as published. */
import { STATE_CODES } from '../../lib/states.ts';
import { line, optional } from '../values.ts';

const ZIP_AT_END = /[,\s]*\b(\d{5})(?:-?\d{4})?-?$/u;
const UNIT = /^(?:#|apt\b|unit\b|ste\b|suite\b|lot\b|rear\b|fl\b|floor\b|bldg\b|\d)/iu;

/** City, state and ZIP of "CANTON, OH 44702-1234". State and ZIP are null if missing; the rest is the city. */
export function cityLine(text: string) {
  const zip = ZIP_AT_END.exec(text)?.[1] ?? null;
  const rest = text.replace(ZIP_AT_END, '');
  const named = /^(.*?)[,\s]*\b([a-z]{2})$/iu.exec(rest);
  const code = named?.[2]?.toUpperCase() ?? '';
  // Two letters at the end may be a street suffix ("ELM CT"), unless a ZIP follows or a comma precedes them.
  const isState = STATE_CODES.has(code) && (zip !== null || /,\s*[a-z]{2}$/iu.test(rest));
  return { city: line(isState ? (named?.[1] ?? '') : rest), state: isState ? code : null, zip };
}

/** An owner's postal code: five digits of a ZIP or ZIP+4, any other postal code as published. */
export function postcode(value: unknown): string | null {
  const text = optional(value);
  return text === null || /^[0-]+$/u.test(text) ? null : (/^(\d{5})(?:-?\d{4})?-?$/u.exec(text)?.[1] ?? text);
}

export interface Mailing {
  readonly mail_street: string | null;
  readonly mail_city: string | null;
  readonly mail_state: string | null;
  readonly mail_zip: string | null;
}

/**
 * The street and the city in a line that ends in a state: the city is after the last comma. Without a comma, a line
 * with a digit has its street before the city ("12 EXAMPLE ST MANSFIELD"), and nothing shows where the city begins.
 */
function streetAndCity(text: string | null): { readonly street: string | null; readonly city: string | null } {
  if (text === null || !/[,\d]/u.test(text)) return { street: null, city: text };
  const comma = text.lastIndexOf(',');
  const city = line(text.slice(comma + 1));
  return comma < 0 || city === null || /\d/u.test(city)
    ? { street: text, city: null }
    : { street: line(text.slice(0, comma)), city };
}

/**
 * An owner's address printed on one line or more. The city line is the last that ends in a state and ZIP, or the very
 * last line if it is only words and a state. The text before the city is the street. Without a city line, all lines
 * are.
 */
export function mailing(lines: readonly unknown[]): Mailing {
  const printed = lines.map(line).filter((text) => text !== null);
  // "C/O SAMPLE AGENT" is not part of the address.
  const filled = printed.filter((text) => !/^(?:c\/o|attn|%)(?=\W|$)/iu.test(text));
  const last = filled.findLastIndex((text) => cityLine(text).state !== null);
  if (last >= 0) {
    const { city: text, state, zip } = cityLine(filled[last] ?? '');
    const { street, city } = streetAndCity(text);
    const before = [...filled.slice(0, last), street].filter((part) => part !== null);
    return { mail_street: line(before.join(', ')), mail_city: city, mail_state: state, mail_zip: zip };
  }
  const [, city, code = ''] = /^(\D+?)\s([a-z]{2})$/iu.exec(filled.slice(1).at(-1) ?? '') ?? [];
  if (city !== undefined && STATE_CODES.has(code.toUpperCase())) {
    return {
      mail_street: line(filled.slice(0, -1).join(', ')),
      mail_city: city,
      mail_state: code.toUpperCase(),
      mail_zip: null,
    };
  }
  return { mail_street: line(filled.join(', ')), mail_city: null, mail_state: null, mail_zip: null };
}

export interface Situs {
  readonly street: string | null;
  readonly city: string | null;
  readonly zip: string | null;
}

/**
 * A property's address in one string. Commas mark where the city begins. Without commas, the city is known only if the
 * text ends in one of `places` and a state or ZIP, and the word before it cannot be part of another place's name
 * ("MARKET AVE N CANTON OH" may be North Canton). Otherwise the whole text is the street.
 */
export function situs(value: unknown, places: readonly string[]): Situs {
  const text = line(value);
  if (text === null) return { street: null, city: null, zip: null };
  const whole = { street: text, city: null, zip: null };
  const known = (city: string | null): boolean => city !== null && places.includes(city.toUpperCase());
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

  if (parts.length > 1) {
    // The city is before the commas in "STREET, CITY, OH 44702" and "STREET, CITY, OH, 44702", and after the comma in
    // "STREET, CITY OH 44702".
    const last = parts.findLastIndex((part) => !/^(?:[a-z]{2}\b\s*)?(?:\d{5}(?:-?\d{4})?)?$/iu.test(part));
    const first = last > 0 ? last : parts.length - 1;
    const tail = cityLine(parts.slice(first).join(', '));
    const used = parts.length - first;
    const street = line(parts.slice(0, parts.length - used).join(' '));
    const isCity = (tail.zip !== null || tail.state !== null) && tail.city !== null && !UNIT.test(tail.city);
    return street !== null && (isCity || known(tail.city)) ? { street, city: tail.city, zip: tail.zip } : whole;
  }

  const { city: rest, state, zip } = cityLine(text);
  if (rest === null || (state === null && zip === null)) return whole;
  const upper = rest.toUpperCase();
  const city = [...places].sort((a, b) => b.length - a.length).find((place) => upper.endsWith(` ${place}`));
  if (city === undefined) return whole;
  const street = rest.slice(0, -city.length - 1).trim();
  const before = street.toUpperCase().split(' ').at(-1) ?? '';
  const isPlace = (prefix: string): boolean => places.includes(`${prefix} ${city}`);
  const isAmbiguous =
    (/^(?:N|NO|NORTH)$/u.test(before) && isPlace('NORTH')) || (/^(?:E|EAST)$/u.test(before) && isPlace('EAST'));
  return isAmbiguous || street === '' ? whole : { street, city: rest.slice(-city.length), zip };
}

/**
 * A street whose suffix is in the county's own form, in the form of Publication 28: the last word, or the one before a
 * direction or a number. The first word after the house number is a name: "12 CR 30" is a county road.
 */
export function withSuffix(street: string | null, suffixes: Readonly<Record<string, string>>): string | null {
  const match = /^(\S+ \S.*) ([A-Z]{2})((?: [NSEW]{1,2})?(?: \d+[A-Z]?)?)$/u.exec(street ?? '');
  const [, before = '', word = '', after = ''] = match ?? [];
  const suffix = suffixes[word];
  return suffix === undefined ? street : `${before} ${suffix}${after}`;
}

/**
 * A property's address that a layer joins from its parts: "STREET, CITY, OH, ZIP", with or without a text for each. The
 * street is before the first comma, even if nothing shows that the text after it is a city.
 */
export function joinedSitus(value: unknown): Situs {
  const text = line(value);
  const found = situs(text, []);
  if (text === null || found.city !== null || !text.includes(',')) return found;
  const [first = '', ...rest] = text.split(',').map((part) => part.trim());
  const after = rest.findIndex((part) => !UNIT.test(part) || ZIP_AT_END.test(part));
  const units = after < 0 ? rest : rest.slice(0, after);
  const { city, zip } = cityLine(rest.slice(units.length).filter(Boolean).join(', '));
  const isState = city !== null && STATE_CODES.has(city.toUpperCase());
  return { street: line([first, ...units].join(' ')), city: isState ? null : city, zip };
}

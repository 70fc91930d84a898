/** Reads an address and a parcel number as a caller writes them. */

/** An address split at its commas: what follows the street narrows the search. */
interface Place {
  readonly street: string;
  readonly city?: string;
  readonly state?: string;
  readonly zip?: string;
}

/** Words before the number of a unit, as in models/macros/address_parts.sql. */
const DESIGNATORS = [
  'apartments?',
  'apts?',
  'units?',
  'suite',
  'ste',
  'room',
  'rm',
  'building',
  'bldg',
  'lot',
  'trailer',
  'trlr',
  'space',
  'spc',
  'dept',
  'floor',
  'flr',
  'fl',
  'penthouse',
  'ph',
  'no',
];
const FLOOR = String.raw`(?:\d+(?:st|nd|rd|th)|first|second|third) (?:floor|flr|fl)\b`;
/** Words that alone name a unit. "Upper Arlington" is a city, "Upper" is a unit. */
const POSITIONS = '(?:rear|upper|uppr|up|lower|lowr|down|dn|front|frnt|basement|bsmt)$';
const UNIT = new RegExp(`^(?:#|(?:${DESIGNATORS.join('|')})\\b|${FLOOR}|${POSITIONS})`, 'iu');

/** "12 Main St, Apt 4, Akron, OH 44301" as street "12 Main St Apt 4", city, state and ZIP. */
export function placeOf(address: string): Place {
  const [first = '', ...rest] = address
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '');
  const street = [first, ...(rest[0] !== undefined && UNIT.test(rest[0]) ? [rest.shift() ?? ''] : [])].join(' ');
  let tail = rest.join(' ');
  const zip = /(\d{5})(?:-\d{4})?$/u.exec(tail);
  if (zip) tail = tail.slice(0, zip.index).trim();
  const state = /(?:^|\s)([A-Za-z]{2})$/u.exec(tail);
  if (state) tail = tail.slice(0, state.index).trim();
  return {
    street,
    ...(tail === '' ? {} : { city: tail }),
    ...(state?.[1] === undefined ? {} : { state: state[1].toUpperCase() }),
    ...(zip?.[1] === undefined ? {} : { zip: zip[1] }),
  };
}

/** A parcel number without spaces and dashes, as in the column parcel_key. */
export const parcelKeyOf = (apn: string): string => apn.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** Address and parcel number of an item, in the forms that the platform's counties print. Pure. */
import type { RowOf } from '../../../lib/record.ts';
import type { SheriffSale } from '../../rows/sheriff_sale.ts';
import { optional, refuse, zip } from '../../values.ts';
import { valueOf, type Labelled } from './items.ts';
import type { State } from './labels.ts';

type Place = Pick<RowOf<typeof SheriffSale>, 'street' | 'city' | 'zip'>;

/** City and ZIP of a sheriff's line: "PARMA , 441300000", padded to nine digits, or "PARMA, OH- 44130". */
function cityLine(text: string | null): Pick<Place, 'city' | 'zip'> {
  const match = /^(.*),\s*(?:[A-Z]{2}\b\s*-?\s*)?([^,]*)$/u.exec(text ?? '');
  return match ? { city: optional(match[1]), zip: zip('zip', match[2]) } : { city: optional(text), zip: null };
}

/** The unlabeled value after a labeled one: the city line after the address. */
function valueAfter(labelled: Labelled, label: string): string | null {
  const index = labelled.findIndex(([name]) => name === label);
  const next = labelled[index + 1];
  return index >= 0 && next?.[0] === '' ? next[1] || null : null;
}

/** City and ZIP of a clerk's line: "JACKSONVILLE, FL- 32208", "WESLEY CHAPEL, 33545-1234", "LAND O LAKES 34638". */
const CLERKS_LINE = /^(.*?)[\s,]*(?:\b(?:FL|PA)\b)?[\s-]*(\d{5}(?:-?\d{4})?)?$/iu;

function clerksCityLine(text: string | null): Pick<Place, 'city' | 'zip'> {
  const [, city, digits] = CLERKS_LINE.exec(text ?? '') ?? [];
  if (/\d/u.test(city ?? ''))
    return refuse('bad_zip', `the city line is ${JSON.stringify(text)}, expected a city and a ZIP`);
  return { city: optional(city), zip: zip('zip', digits) };
}

/** Words printed instead of an address: land without one, and addresses that a clerk may not show. */
const NO_ADDRESS = /\bUNASSIGNED\b|^CONFIDENTIAL$/iu;
/** "2210 N W ST 32505": a ZIP of Florida after a street with a house number. */
const ZIP_AFTER_STREET = /^(\d+\b.*[A-Z].*) (3[234]\d{3})$/iu;
/** "TAMPA33611": a city and its ZIP instead of a street. */
const CITY_WITH_ZIP = /^([A-Z][A-Z .']*?) ?(3[234]\d{3})$/iu;

/** Street, city and ZIP of an item of which the clerk may have put the city line into the address. */
function clerksAddress(printed: string | null, below: string | null): Place {
  const street = printed !== null && NO_ADDRESS.test(printed) ? null : printed;
  if (below !== null || street === null) return { street, ...clerksCityLine(below) };
  const [, onStreet, streetZip] = ZIP_AFTER_STREET.exec(street) ?? [];
  if (onStreet !== undefined) return { street: onStreet, city: null, zip: zip('zip', streetZip) };
  const [, city, cityZip] = CITY_WITH_ZIP.exec(street) ?? [];
  return city === undefined
    ? { street, city: null, zip: null }
    : { street: null, city: optional(city), zip: zip('zip', cityZip) };
}

/**
 * Parcel number of an item as printed. Outside Ohio, one without a digit is a placeholder: "Property Appraiser" is the
 * text of a link, "MULTIPLE PARCEL" and "TIMESHARE" name no parcel.
 */
export function parcelOf(state: State, labelled: Labelled): string | null {
  const printed = optional(valueOf(labelled, 'Parcel ID') ?? valueOf(labelled, 'Alternate Key'));
  return printed === null || state === 'OH' || /\d/u.test(printed) ? printed : null;
}

/** Address of an item. Refuses a ZIP of another form. */
export function placeOf(state: State, labelled: Labelled): Place {
  const street = optional(valueOf(labelled, 'Property Address'));
  const below = valueAfter(labelled, 'Property Address');
  return state === 'OH' ? { street, ...cityLine(below) } : clerksAddress(street, below);
}

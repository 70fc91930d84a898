/** Street, city, state and ZIP of a row, from columns of their own, from joined columns or from one for all. */
import type { Cell } from '../../csv/xlsx.ts';
import { joined, optional, Refusal, refuse } from '../../values.ts';
import { cityLine } from '../addresses.ts';
import { withoutPlace, withUnit } from '../listing_values.ts';
import type { ListingField } from './headings.ts';

export type CellOf = (field: ListingField) => Cell | undefined;

export interface Place {
  readonly street: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zip: string | null;
}

/** "12 Elm St, Unit 2, Akron, OH 44308, USA". The city is after the last comma before the state. */
const WHOLE_ADDRESS = /^(.+?),\s*([^,\d]+?),?\s+([a-z]{2}),?\s+(\d{5})(?:-\d{4})?(?:,?\s*(?:USA|United States))?$/iu;

const MAX_ADDRESS_LENGTH = 300;

/** The parts of a whole address; null if the text is not one. */
export function splitAddress(text: string | null): Place | null {
  if (text === null || text.length > MAX_ADDRESS_LENGTH) return null;
  const [, street, city, state, zip] = WHOLE_ADDRESS.exec(text) ?? [];
  if (street === undefined || city === undefined || state === undefined || zip === undefined) return null;
  // cityLine knows the states: "12 Elm St, Akron, ZZ 44308" is no address.
  return cityLine(`${city}, ${state} ${zip}`).state === null ? null : { street, city, state, zip };
}

/** Text on one line; a line break in a cell separates the parts of an address. */
const textOf = (value: Cell | undefined): string | null =>
  typeof value === 'boolean'
    ? null
    : optional(typeof value === 'string' ? value.trim().replace(/[,\s]*\n\s*/gu, ', ') : value);

/** The street from columns of its parts, as MLSs export it; null without a name. */
function streetOfParts(cell: CellOf): string | null {
  if (textOf(cell('street_name')) === null) return null;
  const parts = [
    'street_number',
    'street_direction',
    'street_name',
    'street_suffix',
    'street_direction_suffix',
  ] as const;
  return joined(parts.map((field) => textOf(cell(field))));
}

/** City, state and ZIP from their columns; what is blank, from the end of the city's. */
function cityOf(cell: CellOf): Omit<Place, 'street'> {
  const [city, state, zip] = [textOf(cell('city')), textOf(cell('state')), textOf(cell('zip'))];
  if (city === null || (state !== null && zip !== null)) return { city, state, zip };
  const parts = cityLine(city);
  if (parts.state === null && parts.zip === null) return { city, state, zip };
  return { city: parts.city, state: state ?? parts.state, zip: zip ?? parts.zip };
}

interface PrintedPlace {
  readonly own: Omit<Place, 'street'>;
  /** The street, or the whole address. */
  readonly text: string | null;
  readonly whole: Place | null;
}

function printedPlace(cell: CellOf): PrintedPlace {
  const printed = [cell('street'), streetOfParts(cell), cell('whole_address')].find((value) => textOf(value) !== null);
  return { own: cityOf(cell), text: optional(printed), whole: splitAddress(textOf(printed)) };
}

/** Whether the row states these parts of its place, in any column. */
export function statesPlace(cell: CellOf, parts: readonly (keyof PrintedPlace['own'])[]): boolean {
  try {
    const { own, whole } = printedPlace(cell);
    return parts.every((part) => (own[part] ?? whole?.[part] ?? null) !== null);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** @throws Refusal bad_address if nothing shows where the city begins, or the address has another ZIP */
export function parsePlace(cell: CellOf, where: string): Place {
  const { own, text, whole } = printedPlace(cell);
  const shown = JSON.stringify(text);
  if (whole?.zip && own.zip !== null && !own.zip.startsWith(whole.zip))
    refuse('bad_address', `${where}: the address is ${shown}, the ZIP column has ${JSON.stringify(own.zip)}`);
  if (whole === null && text !== null && own.city === null && own.zip === null)
    refuse('bad_address', `${where}: the address is ${shown}, expected "street, city, state ZIP"`);
  const place = {
    city: own.city ?? whole?.city ?? null,
    state: own.state ?? whole?.state ?? null,
    zip: own.zip ?? whole?.zip ?? null,
  };
  const street = whole?.street ?? (text === null ? null : withoutPlace(text, place));
  return { street: withUnit(street, textOf(cell('unit'))), ...place };
}

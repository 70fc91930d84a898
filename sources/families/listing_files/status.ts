/** Whether a row of a listing file is for sale, and whether it is a rental building. */
import type { TableRow } from '../../csv/headed_table.ts';
import { optional, refuse } from '../../values.ts';
import { parseAvailability, type Availability } from '../listing_values.ts';
import type { CellOf } from './place.ts';

/** Words and codes of portals and MLSs that are not in the words of websites. Codes are those of Flexmls in Arizona. */
const STATUS: ReadonlyMap<string, Availability> = new Map([
  ['ON-MARKET', 'for_sale'],
  ['ON MARKET', 'for_sale'],
  ['A', 'for_sale'],
  ['ACT', 'for_sale'],
  ['P', 'under_contract'],
  ['PND', 'under_contract'],
  ['U', 'under_contract'],
  ['C', 'sold'],
  ['SLD', 'sold'],
]);

/** Availability by the name of a workbook's sheet, for a list without a column of the status. */
const SHEET: readonly (readonly [name: RegExp, availability: Availability])[] = [
  [/\b(?:sold|closed)\b/iu, 'sold'],
  [/\b(?:pending|under contract|in escrow)\b/iu, 'under_contract'],
];

export function availabilityOfRow(cell: CellOf, { sheet = '' }: TableRow, hasStatus: boolean): Availability {
  if (optional(cell('sold_on')) !== null) return 'sold';
  if (!hasStatus) return SHEET.find(([name]) => name.test(sheet))?.[1] ?? 'for_sale';
  const status = optional(cell('status'));
  return STATUS.get(status?.toUpperCase() ?? '') ?? parseAvailability(status);
}

/** Property types other than a rental building of several units. */
const OTHER_TYPE =
  /\b(?:single[- ]family|condo|co-?op|townho(?:use|me)|vacant land|land|lot|mobile|manufactured|parking|timeshare)\b/iu;

/** Commercial types in a portal's list of all types, unless a rental type is named too ("Multifamily, Retail"). */
const COMMERCIAL =
  /\b(?:office|retail|industrial|hospitality|hotel|motel|warehouse|self[- ]storage|restaurant|special purpose)\b/iu;
const RENTAL = /\b(?:multi[- ]?family|apartments?|duplex|triplex|fourplex|quadruplex|mixed[- ]use)\b/iu;

/** @throws Refusal not_multifamily */
export function checkType(type: string | null, where: string): void {
  if (type === null || !(OTHER_TYPE.test(type) || (COMMERCIAL.test(type) && !RENTAL.test(type)))) return;
  refuse('not_multifamily', `${where}: the property type is ${JSON.stringify(type)}, expected one of several units`);
}

/** Headings of listing files by the field they mean, and the operator's own map of them. */
import type { Page } from '../../contract.ts';
import { withColumnMap } from '../../csv/column_map.ts';
import type { Cell } from '../../csv/xlsx.ts';

/** Compared without case, spaces, punctuation and text in parentheses. */
const HEADINGS = {
  listing_id: [
    'MLS#',
    'MLS Number',
    'Listing ID',
    'Listing Number',
    'Listing #',
    'Listing Key',
    'ID',
    'Property ID',
    'Deal ID',
  ],
  issuer: ['Source', 'MLS', 'MLS Name'],
  listing_url: ['URL', 'Link', 'Listing URL', 'Web Page', 'Website'],
  street: ['Address', 'Street', 'Street Address', 'Property Address', 'Address 1'],
  city: ['City', 'Property City', 'Town'],
  state: ['State', 'State or Province', 'Property State', 'ST'],
  zip: ['ZIP', 'ZIP Code', 'ZIP or Postal Code', 'Postal Code', 'Property ZIP'],
  list_price: ['Price', 'List Price', 'Asking Price', 'Ask Price', 'Asking', 'Sale Price'],
  units: ['Units', 'Unit Count', 'Number of Units', '# of Units', '# Units', 'No. of Units', 'Total Units'],
  cap_rate: ['Cap Rate', 'Cap', 'Cap Rate %', 'Going-in Cap Rate'],
  noi: ['NOI', 'Net Operating Income'],
  year_built: ['Year Built', 'Built'],
  property_type: ['Property Type', 'Type', 'Property Subtype', 'Asset Class'],
  listed_on: ['List Date', 'Listed', 'Listed On', 'Date Listed', 'On Market Date', 'Listing Date'],
  sold_on: ['Sold Date', 'Closing Date', 'Close Date'],
  status: ['Status', 'Listing Status', 'Standard Status', 'Availability'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ListingField = keyof typeof HEADINGS;
const FIELDS = Object.keys(HEADINGS) as ListingField[];

export const normalizeHeading = (heading: Cell | undefined): string =>
  String(heading ?? '')
    .replace(/\(.*?\)/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

/** Field by normalized heading; null for a column to ignore. The operator's map takes precedence. */
export function fieldsByHeading(page: Page): ReadonlyMap<string, ListingField | null> {
  const fields = new Map<string, ListingField | null>(
    FIELDS.flatMap((field) => HEADINGS[field].map((heading) => [normalizeHeading(heading), field] as const)),
  );
  return withColumnMap(fields, FIELDS, normalizeHeading, page);
}

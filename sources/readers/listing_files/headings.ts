/** Headings of listing files by the field they mean, and the operator's own map of them. */
import type { Page } from '../../contract.ts';
import { withColumnMap } from '../../csv/column_map.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { MIX_COLUMNS } from '../unit_mix.ts';

/** Headings of a column that counts the units of a type, by the words for it: "1BR", "# 1BR", "1BR Units". */
const countsOf = (...words: readonly string[]): string =>
  words
    .flatMap((word) =>
      ['', '#', '# of', 'Number of', 'No. of'].flatMap((start) =>
        ['', 'Units', 'Apartments'].map((end) => `${start} ${word} ${end}`),
      ),
    )
    .join(' | ');

/** "1BR", "1 Bed", "One Bedroom" and their plurals. */
const bedrooms = (figure: string, word: string): string =>
  countsOf(
    ...[figure, word].flatMap((count) =>
      ['BR', 'BD', 'Bed', 'Bedroom'].flatMap((name) => [`${count} ${name}`, `${count} ${name}s`]),
    ),
  );

/**
 * Headings with a bar between two, compared without case, spaces, punctuation and text in parentheses. Confirmed by
 * recorded files of Crexi (two layouts), CoStar, Flexmls, Matrix, BrokerMetrics and Redfin; the others are common in
 * lists of brokers. A unit in a heading counts (UNITS_OF_HEADINGS).
 */
const HEADINGS = {
  listing_id:
    'MLS# | MLS Number | MLS No | MLS ID | ML Number | ML# | Listing ID | Listing Number | Listing # | Listing No | ' +
    'List Number | Listing Key | Deal ID | Property ID | ID',
  issuer: 'Source | MLS | MLS Name',
  listing_url: 'Listing URL | Property Link | Listing Link | Property URL | URL | Link | Web Page | Website',
  street:
    'Address | Street | Street Address | Property Address | Address 1 | Address Line 1 | Street Number Name Direction',
  whole_address: 'Full Address | Formatted Address | Unparsed Address',
  street_number: 'House Number | House # | Street Number | Street # | Street No',
  street_direction: 'Compass | Street Dir Prefix | Street Direction | St Dir Pfx | St Dir',
  street_name: 'Street Name',
  street_suffix: 'Street Suffix | St Suffix',
  street_direction_suffix: 'Street Dir Suffix | St Dir Sfx',
  unit: 'Unit # | Unit Number | Unit No | Unit | Apt | Apt # | Apartment | Suite',
  city:
    'City | Property City | Town | City/Town | City/Town Code | City, State, ZIP | City, State, ZIP Code | ' +
    'City, ST ZIP | City, State | City, ST',
  state: 'State | State or Province | State/Province | Property State | State Code | ST',
  zip:
    'ZIP | ZIP Code | ZIP or Postal Code | ZIP/Postal Code | Postal Code | Property ZIP | Property ZIP Code | ' +
    'Postcode',
  list_price: 'Price | List Price | Listing Price | Asking Price | Ask Price | Asking | For Sale Price | Current Price',
  sold_price: 'Sale Price | Sold Price | Closed Price | Close Price | Closing Price | Last Sale Price',
  price_per_unit: 'Price/Unit | Price per Unit',
  units:
    'Units | Unit Count | Number of Units | Number of Units Total | # of Units | # Units | No. of Units | ' +
    'No. Units | Total Units',
  units_0br: countsOf('Studio', 'Studios', '0 BR', '0 Bed', '0 Bedroom', 'Efficiency', 'Efficiencies'),
  units_1br: bedrooms('1', 'One'),
  units_2br: bedrooms('2', 'Two'),
  units_3br: bedrooms('3', 'Three'),
  units_4br: bedrooms('4', 'Four'),
  unit_mix: 'Unit Mix | Unit Mix Summary | Bedroom Mix | Apartment Mix | Mix of Units | Unit Breakdown',
  cap_rate: 'Cap Rate | Cap | Cap Rate % | Going-in Cap Rate',
  noi: 'NOI | Net Operating Income',
  annual_taxes:
    'Annual Taxes | Annual Tax | Annual Tax Amount | Tax Annual Amount | Annual Property Taxes | ' +
    'Annual Property Tax | Annual Real Estate Taxes | Annual RE Taxes | Real Estate Taxes | Real Estate Tax | ' +
    'RE Taxes | Property Taxes | Property Tax | Taxes per Year | Taxes/Year | Taxes/Yr | Taxes',
  year_built: 'Year Built | Built',
  property_type: 'Property Type | Type | Asset Class',
  property_subtype: 'Property Subtype | Property Sub Type | Subtype | Sub Type | Secondary Type | Dwelling Type',
  listed_on: 'List Date | Date Listed | Listing Date | Listing Contract Date | Listed On | Listed | On Market Date',
  sold_on: 'Sold Date | Sale Date | Close Date | Closing Date | Close of Escrow Date',
  status: 'Status | Listing Status | Standard Status | MLS Status | Property Status | Sale Status | Availability',
} satisfies Readonly<Record<string, string>>;

export type ListingField = keyof typeof HEADINGS;
export const FIELDS = Object.keys(HEADINGS) as ListingField[];

/**
 * Fields of which the column with the first heading above counts. Two columns of prices, streets or unit counts are
 * refused, because a wrong choice gives wrong values.
 */
export const BEST_COUNTS: ReadonlySet<ListingField> = new Set([
  ...MIX_COLUMNS,
  'unit_mix',
  'annual_taxes',
  'listing_id',
  'listing_url',
  'whole_address',
  'city',
  'state',
  'zip',
  'property_type',
  'property_subtype',
  'listed_on',
  'sold_price',
  'sold_on',
  'status',
]);

/** A unit that a heading states besides the name of its field, with the words for it. */
const UNITS_OF_HEADINGS = [
  ['in thousands', /\$?\b0{3}(?:'?s)?\b|\bin thousands\b|\(\$?k\)/giu],
  ['in millions', /\(\$?mm\)|\bin millions\b/giu],
  ['in thousands or millions', /\(\$?m\)/giu],
  ['per unit', /(?:\/|\bper\b)\s*(?:unit|door|apartment|apt)s?\b/giu],
  [
    'per square foot',
    /(?:\/|\bper\b)\s*(?:(?:bldg|building|gross)\s+)?(?:sf|sq\.?\s*ft|square\s*f(?:oo|ee)t)\b|\bp?psf\b/giu,
  ],
  ['per month', /(?:\/|\bper\b)\s*(?:mo|month)\b|\bmonthly\b|\bmonths?\b/giu],
  ['per quarter', /\bquarter(?:ly)?\b/giu],
  ['per half year', /\b(?:semi|half)[- ]?(?:annual(?:ly)?|year(?:ly)?)?\b/giu],
  ['in percent', /%|\bpercent(?:age)?\b|\bpct\b/giu],
] as const;
type UnitOfHeading = (typeof UNITS_OF_HEADINGS)[number][0];

/** The unit that a heading states; null if none. */
const unitOf = (heading: string): UnitOfHeading | null =>
  UNITS_OF_HEADINGS.find(([, words]) => heading.search(words) >= 0)?.[0] ?? null;

const letters = (text: string): string =>
  text
    .replace(/\(.*?\)/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

/** A heading's letters, and its unit after a space: "Price ($000s)" is "PRICE in thousands". */
export function normalizeHeading(heading: Cell | undefined): string {
  const text = typeof heading === 'string' || typeof heading === 'number' ? String(heading) : '';
  const unit = unitOf(text);
  const words = UNITS_OF_HEADINGS.find(([name]) => name === unit)?.[1];
  return words === undefined ? letters(text) : `${letters(text.replace(words, ''))} ${unit}`;
}

/** Fields of an amount in dollars. */
export const AMOUNTS: ReadonlySet<ListingField> = new Set(['list_price', 'noi', 'annual_taxes', 'price_per_unit']);
const FIGURES: ReadonlySet<ListingField> = new Set<ListingField>([...MIX_COLUMNS, ...AMOUNTS, 'units', 'cap_rate']);

/** Dollars of one in a column of amounts with this heading. */
export const dollarsOfOne = (heading: Cell | undefined): 1 | 1_000 | 1_000_000 => {
  const key = normalizeHeading(heading);
  return key.endsWith(' in thousands') ? 1_000 : key.endsWith(' in millions') ? 1_000_000 : 1;
};

/** Fields by heading without a unit. */
const BY_NAME: ReadonlyMap<string, ListingField> = new Map(
  FIELDS.flatMap((field) => HEADINGS[field].split(' | ').map((heading) => [normalizeHeading(heading), field] as const)),
);

/** Headings of a field with a unit that is read. */
function withUnits(field: ListingField, key: string): readonly (readonly [string, ListingField])[] {
  if (key.includes(' ')) return [];
  if (field === 'cap_rate') return [[`${key} in percent`, field]];
  const perUnit = field === 'list_price' ? ([[`${key} per unit`, 'price_per_unit']] as const) : [];
  return AMOUNTS.has(field) ? [[`${key} in thousands`, field], [`${key} in millions`, field], ...perUnit] : perUnit;
}

/** A heading of a figure in a unit that is not read: the field it would be, and the unit. Null for any other. */
export function unreadUnit(heading: Cell | undefined): { readonly field: ListingField; readonly unit: string } | null {
  const key = normalizeHeading(heading);
  const [name = '', ...unit] = key.split(' ');
  const field = BY_NAME.get(name);
  if (unit.length === 0 || field === undefined || !FIGURES.has(field) || KNOWN.has(key)) return null;
  return { field, unit: unit.join(' ') };
}

const KNOWN: ReadonlyMap<string, ListingField> = new Map([
  ...BY_NAME,
  ...[...BY_NAME].flatMap(([key, field]) => withUnits(field, key)),
]);

/** Field by normalized heading; null for a column to ignore. The operator's map takes precedence. */
export const fieldsByHeading = (page: Page): ReadonlyMap<string, ListingField | null> =>
  withColumnMap(KNOWN, FIELDS, normalizeHeading, page);

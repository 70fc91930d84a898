/**
 * Columns of listing files: the field that a heading means, the operator's own map of them, the place of a row from
 * columns of its own, from joined ones or from one for all, and the message for a list whose headings are not known.
 */
import { type Page, Quarantine } from '../../contract.ts';
import { COLUMNS_FILE, type TableRow, textsOf, withColumnMap } from '../../csv/headed_table.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { MIX_COLUMNS } from '../unit_mix.ts';
import { joined, optional, published, Refusal, refuse } from '../../values.ts';
import { cityLine } from '../addresses.ts';
import { withoutPlace, withUnit } from '../listing_values.ts';
import { ASK_FOR_TABLE } from './tables.ts';

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
function splitAddress(text: string | null): Place | null {
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

/**
 * A field as the message names it, how its headings look, and how its values look if no other field's look the same.
 */
interface Wanted {
  readonly field: ListingField;
  readonly name: string;
  readonly heading: RegExp;
  readonly value?: RegExp;
}

const WANTED: readonly Wanted[] = [
  {
    field: 'list_price',
    name: 'price',
    heading: /^(?!.*(?:SALE|SOLD|CLOS|PAID|LAST)).*(?:PRICE|ASK|OFFER)/u,
    value: /^\$?\d{2,3}(?:,?\d{3})+(?:\.\d+)?$/u,
  },
  { field: 'zip', name: 'ZIP', heading: /ZIP|POST/u, value: /^\d{5}(?:-\d{4})?$/u },
  { field: 'state', name: 'state', heading: /STATE|PROV|^ST$/u, value: /^[A-Z]{2}$/u },
  { field: 'city', name: 'city', heading: /CITY|TOWN|MUNIC|PLACE/u },
  { field: 'street', name: 'street', heading: /ADDR|STREET|LOCAT|WHERE|SITE/u, value: /^\d+\S* \S+/u },
  { field: 'units', name: 'units', heading: /UNIT(?!MIX)|DOOR/u },
  { field: 'unit_mix', name: 'unit mix', heading: /MIX/u },
  { field: 'annual_taxes', name: 'annual taxes', heading: /TAXES/u },
];
const NEEDED = new Set<ListingField>(['list_price', 'zip', 'state', 'city', 'street']);

const nameOf = (wanted: ListingField): string => WANTED.find(({ field }) => field === wanted)?.name ?? wanted;

const PER_UNIT = { field: 'list_price', unit: 'per unit' } as const;

const NO_OFFER = /SOLD|SALE|CLOS|PAID|VALUE|ESTIMATE|ASSESS|APPRAIS|LOAN|EQUITY|BALANCE|PAYMENT/u;

const ROWS_LOOKED_AT = 20;

type Fields = ReadonlyMap<string, ListingField | null>;

const textAt = (row: TableRow, column: number): string => {
  return published(row.cells[column]) ?? '';
};

/** The row most like a heading row: the first with the most known headings. */
function headingRow(
  table: readonly TableRow[],
  fields: Fields,
): { readonly row: TableRow; readonly score: number } | null {
  const rows = table.slice(0, ROWS_LOOKED_AT).filter((row) => textsOf(row).length > 1);
  const scored = rows.map((row) => {
    const headings = row.cells.map(normalizeHeading);
    const isHeading = (text: string): boolean => fields.has(text) || WANTED.some(({ heading }) => heading.test(text));
    return { row, score: headings.filter(isHeading).length };
  });
  return scored.reduce<(typeof scored)[number] | null>(
    (best, each) => (best && best.score >= each.score ? best : each),
    null,
  );
}

/** For each wanted field that no heading names, the column most like it. */
function likelyColumns(headings: TableRow, rows: readonly TableRow[], fields: Fields): Map<number, Wanted> {
  const keys = headings.cells.map(normalizeHeading);
  const named = new Set(keys.map((key) => fields.get(key)));
  const found = new Map<number, Wanted>();
  for (const wanted of WANTED.filter(({ field }) => !named.has(field))) {
    const scored = keys.flatMap((key, column) => {
      // A figure per unit or per foot, a price paid, or an estimate of a house that nobody offers, is no asking price.
      if (key === '' || key.includes(' ') || NO_OFFER.test(key)) return [];
      if (fields.has(key) || found.has(column)) return [];
      const texts = rows
        .slice(0, ROWS_LOOKED_AT)
        .map((row) => textAt(row, column))
        .filter((text) => text !== '');
      const isLike = texts.length > 0 && texts.filter((text) => wanted.value?.test(text)).length * 2 > texts.length;
      return [{ column, score: (wanted.heading.test(key) ? 2 : 0) + (isLike ? 1 : 0) }];
    });
    const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { column: -1, score: 0 });
    if (best.score > 0) found.set(best.column, wanted);
  }
  return found;
}

/** The refusal of a file in which no row has the needed headings. */
export function unknownHeadings(tables: readonly (readonly TableRow[])[], fields: Fields, page: Page): Quarantine {
  const tops = tables.flatMap((table) => {
    const top = headingRow(table, fields);
    return top === null ? [] : [{ ...top, rows: table.slice(table.indexOf(top.row) + 1) }];
  });
  const [best] = tops.toSorted((a, b) => b.score - a.score);
  if (best === undefined)
    return new Quarantine(
      'missing_column',
      `the file holds no table. If it is a sign-in or error page of a site, save the list again. ${ASK_FOR_TABLE}`,
      page.url,
    );
  const likely = likelyColumns(best.row, best.rows, fields);
  const named = new Set(best.row.cells.map((heading) => fields.get(normalizeHeading(heading))));
  const addresses = best.row.cells.findIndex((heading) => fields.get(normalizeHeading(heading)) === 'street');
  const hasPlaces = best.rows.some((row) => splitAddress(textAt(row, addresses)) !== null);
  const missing = WANTED.filter(
    ({ field }) => (hasPlaces ? field === 'list_price' : NEEDED.has(field)) && !named.has(field),
  );
  const unlike = missing.filter((wanted) => ![...likely.values()].includes(wanted)).map(({ name }) => name);
  const map = Object.fromEntries([...likely].map(([column, { field }]) => [String(best.row.cells[column]), field]));
  const headings = textsOf(best.row)
    .map((text) => JSON.stringify(text))
    .join(', ');
  const ask = `Ask for the list with columns for ${unlike.join(', ')}`;
  const paid = best.row.cells.find((heading) => fields.get(normalizeHeading(heading)) === 'sold_price');
  const sales =
    paid === undefined ? '' : `. ${JSON.stringify(paid)} is what a sold building cost: these look like sales`;
  const units = best.row.cells.flatMap((heading) => {
    const unread =
      unreadUnit(heading) ?? (fields.get(normalizeHeading(heading)) === 'price_per_unit' ? PER_UNIT : null);
    return unread === null ? [] : [`. ${JSON.stringify(heading)} is ${unread.unit}, not the ${nameOf(unread.field)}`];
  });
  return new Quarantine(
    'missing_column',
    `no heading for ${missing.map(({ name }) => name).join(', ')} in ${best.row.where}: ` +
      `${headings}${sales}${units.join('')}` +
      (likely.size === 0
        ? `. ${ask}`
        : `. Put a file ${COLUMNS_FILE} next to the list, and correct this text in it: ${JSON.stringify(map)}. ` +
          `null ignores a column${unlike.length === 0 ? '' : `. ${ask}`}`),
    page.url,
  );
}

/** The refusal of a list that has no column for a part of the place, nor an address that holds it. */
export function missingPlace(headings: TableRow, missing: readonly ListingField[], page: Page): Quarantine {
  const names = WANTED.filter(({ field }) => missing.includes(field)).map(({ name }) => name);
  const fixed = missing.every((field) => field === 'state')
    ? `. If all listings are in one state, put a file ${COLUMNS_FILE} next to the list instead, ` +
      'such as this for Ohio: {"=OH": "state"}'
    : '';
  return new Quarantine(
    'missing_column',
    `no heading for ${names.join(', ')} in ${headings.where}, and no address like "12 Elm St, Akron, OH 44308". ` +
      `Ask for the list with ${names.length === 1 ? 'this column' : 'these columns'}${fixed}`,
    page.url,
  );
}

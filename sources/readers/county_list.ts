/**
 * County delinquency lists in a CSV file or workbook. Most have no address that a program can read: the operator gets
 * the list from the county and drops it. A workbook that a county posts under a fixed name is read from its site.
 * Columns are found by their headings. The heading row is the first that names a parcel and an amount;
 * rows above it are ignored, and so are columns of other subjects. A heading that may mean a field, such as "City",
 * needs a line in the operator's columns.json. A posted workbook must have exactly its known columns.
 */
import type { Cell } from '../csv/xlsx.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type Page,
  Quarantine,
  type SourceSpec,
} from '../contract.ts';
import {
  candidateOf,
  cellReader,
  COLUMNS_FILE,
  findTable,
  firstFilledRow,
  type HeadedTable,
  type HeadingRules,
  type TableRow,
  tablesOf,
  withColumnMap,
} from '../csv/headed_table.ts';
import { checkColumns } from '../csv/csv.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import {
  candidate,
  cents,
  decimal,
  divide,
  integer,
  joined,
  money,
  optional,
  refuse,
  state,
  TAXABLE_SHARE,
  tidy,
  year,
  zip,
} from '../values.ts';
import { mailing, type Mailing, postcode, situs, type Situs, withSuffix } from './addresses.ts';

/** Headings with a bar between two. Compared without case, spaces and punctuation. */
const HEADINGS = {
  parcel: 'Parcel | Parcel ID | Parcel Number | Parcel No | Parcel # | Permanent Parcel Number | PPN | PIN | APN',
  amount:
    'Amount | Amount Due | Total Due | Delinquent Amount | Amount Delinquent | Delinquent Taxes | Delinquent Tax | ' +
    'Taxes Due | Unpaid Amount | Delinquent Balance | Net Delinquent | Net Delinquent Balance | Total Delinquent | ' +
    'Delinquent Total | Balance | Balance Due',
  owner: 'Owner | Owner Name | Owner Name 1 | Owner 1 | Taxpayer | Taxpayer Name | Name',
  second_owner: 'Owner Name 2 | Owner 2 | Second Owner | Co-Owner',
  street:
    'Property Address | Parcel Address | Site Address | Situs | Situs Address | Location | Property Location | ' +
    'Location Address | Parcel Location',
  city: 'Property City | Site City | Situs City | Location City',
  zip: 'Property Zip | Property Zip Code | Site Zip | Situs Zip | Location Zip',
  mailing_address:
    'Mailing Address | Mailing Address 1 | Mail Address | Mailing Street | Owner Address | Owner Address 1 | ' +
    'Taxpayer Address | Mail 1',
  mailing_address_2: 'Mailing Address 2 | Owner Address 2 | Mail 2',
  mailing_address_3: 'Mailing Address 3 | Owner Address 3 | Mail 3',
  mailing_city: 'Mailing City | Mail City | Owner City | Taxpayer City',
  mailing_state: 'Mailing State | Mail State | Owner State | Taxpayer State',
  mailing_zip: 'Mailing Zip | Mailing Zip Code | Mail Zip | Owner Zip | Taxpayer Zip',
  years_delinquent: 'Years | Years Delinquent | Delinquent Years | Number of Years Delinquent',
  certified_year: 'Certified Year | Certified Delinquent Year | Year Certified | Cert Year | Delinquent Year Certified',
  market_value:
    'Market Value | Total Market Value | Appraised Value | Total Appraised Value | Appraised Total | County Value | ' +
    'Auditor Value',
  /** 35 % of the market value, which Ohio taxes. */
  taxable_value: 'Taxable Value | Total Taxable Value | Taxable Total | Assessed Value (35%)',
  property_class:
    'Property Class | Class | Class Code | Land Use | Land Use Code | Land Use Description | Property Type | LUC',
} satisfies Readonly<Record<string, string>>;

type ListField = keyof typeof HEADINGS;

/** Further headings of one county. */
type OwnHeadings = Partial<Record<ListField, readonly string[]>>;

const normalizeHeading = (heading: Cell | undefined): string =>
  String(heading ?? '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

const LIST_FIELDS = Object.keys(HEADINGS) as ListField[];

/** Field by normalized heading. @throws if a heading means two fields */
function fieldsByHeading(own: OwnHeadings = {}): ReadonlyMap<string, ListField> {
  const fields = new Map<string, ListField>();
  for (const field of LIST_FIELDS) {
    for (const heading of [...HEADINGS[field].split(' | '), ...(own[field] ?? [])]) {
      const key = normalizeHeading(heading);
      const earlier = fields.get(key);
      if (earlier !== undefined && earlier !== field)
        throw new Error(`the heading ${JSON.stringify(heading)} means both ${earlier} and ${field}`);
      fields.set(key, field);
    }
  }
  return fields;
}

/** Headings of a place or a value: of the property or the owner, of the market or for the tax. First match. */
const UNCLEAR: readonly (readonly [heading: RegExp, ...fields: ListField[]])[] = [
  [/CITY.*ZIP/u, 'mailing_address_2', 'mailing_address_3', 'street'],
  [/CITY|TOWN$/u, 'city', 'mailing_city'],
  [/ZIP|POSTAL/u, 'zip', 'mailing_zip'],
  [/ADDRESS|STREET/u, 'street', 'mailing_address', 'mailing_address_2', 'mailing_address_3'],
  [/^STATE$/u, 'mailing_state'],
  [/ASSESSEDVALUE|^ASSESSED$|^ASSESSEDTOTAL$/u, 'taxable_value', 'market_value'],
  [/(?:MARKET|APPRAISED|COUNTY|AUDITORS?)VALUE|^VALUE$/u, 'market_value', 'taxable_value'],
];

/** A heading that may mean one of several fields, and the first of them that no other column has. */
interface UnclearHeading {
  readonly heading: string;
  readonly fields: readonly ListField[];
  readonly suggestion: ListField | null;
}

/** Headings that the map does not name and that may mean a field: without a map their columns would be lost. */
function unclearHeadings(
  headings: readonly (Cell | undefined)[],
  fields: ReadonlyMap<string, ListField | null>,
): UnclearHeading[] {
  const keys = headings.map(normalizeHeading);
  const taken = new Set(keys.map((key) => fields.get(key)));
  return headings.flatMap((heading, index) => {
    const key = keys[index] ?? '';
    const [, ...meanings] = (fields.has(key) ? undefined : UNCLEAR.find(([pattern]) => pattern.test(key))) ?? [];
    if (meanings.length === 0) return [];
    const isOwners = /OWNER|MAIL|TAXPAYER|BILL/u.test(key);
    const suggestion =
      meanings.find((field) => !taken.has(field) && (!isOwners || field.startsWith('mailing'))) ?? null;
    taken.add(suggestion ?? undefined);
    return [{ heading: String(heading), fields: meanings, suggestion }];
  });
}

export interface CountyList extends Pick<SourceSpec, 'name' | 'title' | 'home' | 'terms' | 'everyDays'> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** A whole parcel number in the county's form. */
  readonly parcel: RegExp;
  /** One such number, for messages. */
  readonly parcelExample: string;
  readonly headings?: OwnHeadings;
  /** The county's own street suffixes, by the form of Publication 28 that they mean: { CR: 'CIR' }. */
  readonly suffixes?: Readonly<Record<string, string>>;
  /** Where the county posts the list as a workbook, and all its columns. */
  readonly posted?: Pick<SourceSpec, 'expect'> & { readonly url: string; readonly columns: readonly string[] };
}

type CellOf = (field: ListField) => Cell | undefined;

function parcelNumber(value: Cell | undefined, where: string, county: CountyList): string {
  const text = tidy(value) ?? refuse('blank_parcel', `${where}: the parcel number is blank`);
  if (county.parcel.test(text)) return text;
  const advice =
    typeof value === 'number'
      ? '. The cell is a number, which drops leading zeros: format the column as text and export again'
      : '';
  const expected = `expected one such as ${JSON.stringify(county.parcelExample)}`;
  return refuse('bad_parcel', `${where}: the parcel number is ${JSON.stringify(value)}, ${expected}${advice}`);
}

/** Address of the property: from its own columns; missing parts come from the text of the street. */
function situsOf(cell: CellOf, { suffixes = {} }: CountyList): Situs {
  const text = optional(cell('street'));
  const { street, city, zip: zipCode } = situs(text, []);
  return {
    street: withSuffix(street, suffixes),
    city: optional(cell('city')) ?? city,
    zip: zip('property ZIP', cell('zip')) ?? zipCode,
  };
}

/** Address of the owner: from the columns of city and ZIP if one is filled, else from the lines. */
function mailingOf(cell: CellOf): Mailing {
  const lines = [cell('mailing_address'), cell('mailing_address_2'), cell('mailing_address_3')];
  const [city, zipCode] = [optional(cell('mailing_city')), postcode(cell('mailing_zip'))];
  if (city === null && zipCode === null) return mailing(lines);
  return {
    mail_street: joined(lines, ', '),
    mail_city: city,
    mail_state: state('mailing state', cell('mailing_state')),
    mail_zip: zipCode,
  };
}

/** Market value, computed from the taxable value where the list has only that. */
function marketValue(cell: CellOf): string | null {
  const market = money('market value', cell('market_value'), { zeroIsUnknown: true });
  if (market !== null) return market;
  const taxable = cents('taxable value', cell('taxable_value'), { zeroIsUnknown: true });
  return taxable === null ? null : decimal(divide(taxable, TAXABLE_SHARE));
}

function rowCandidate(row: TableRow, table: HeadedTable<ListField>, county: CountyList): Candidate {
  const cell = cellReader(row, table);
  const parcel = tidy(typeof cell('parcel') === 'boolean' ? null : cell('parcel'));
  const { fips, name, state: countyState } = county.county;
  const key = parcel !== null && county.parcel.test(parcel) ? { county_fips: fips, parcel_raw: parcel } : undefined;
  return candidate(
    row.raw,
    () => ({
      values: {
        county_fips: fips,
        county: `${name}, ${countyState}`,
        ...situsOf(cell, county),
        ...mailingOf(cell),
        parcel_raw: parcelNumber(cell('parcel'), row.where, county),
        owner_name: joined([cell('owner'), cell('second_owner')], ' & '),
        amount: money('amount', cell('amount')) ?? refuse('blank_amount', `${row.where}: the amount is blank`),
        amount_basis: 'net',
        years_delinquent: integer('years delinquent', cell('years_delinquent')),
        certified_year: year('certified year', cell('certified_year')),
        paid_on: null,
        county_value: marketValue(cell),
        property_class: optional(cell('property_class')),
      },
    }),
    key,
  );
}

const isFilled = ({ cells }: TableRow): boolean =>
  cells.some((cell) => typeof cell !== 'boolean' && tidy(cell) !== null);

/** @throws Quarantine template_changed if a heading may mean a field, and nothing says which */
function checkHeadings({ headings }: HeadedTable<ListField>, rules: HeadingRules<ListField>, page: Page): void {
  const unclear = unclearHeadings(headings.cells, rules.fields);
  if (unclear.length === 0) return;
  const each = unclear.map(({ heading, fields }) => `${JSON.stringify(heading)} (${fields.join(' or ')})`);
  const map = Object.fromEntries(unclear.map(({ heading, suggestion }) => [heading, suggestion]));
  throw new Quarantine(
    'template_changed',
    `${fileName(page)}, ${headings.where}: the meaning of these headings is unclear: ${each.join(', ')}. ` +
      `Put a file ${COLUMNS_FILE} next to the list, and correct this text in it: ${JSON.stringify(map)}. ` +
      'null ignores a column',
    page.url,
  );
}

/** Candidates of one sheet or file, or null if it has no heading row. */
function tableCandidates(
  rows: readonly TableRow[],
  county: CountyList,
  rules: HeadingRules<ListField>,
  page: Page,
): Candidate[] | null {
  const table = findTable(rows, rules, page.url);
  if (table === null) return null;
  if (county.posted) {
    const names = table.headings.cells.map((heading) => String(heading ?? '').trim());
    checkColumns(
      names.map((name) => name.toLowerCase()),
      county.posted.columns,
      page.url,
    );
  } else checkHeadings(table, rules, page);
  return table.rows.filter(isFilled).map((row) => candidateOf(row, table, (each) => rowCandidate(each, table, county)));
}

/** Name of the dropped file, or of the posted one. */
const fileName = (page: Page): string => page.context['file'] ?? decodeURIComponent(page.url.split('/').at(-1) ?? '');

/** @throws Quarantine empty_body, or missing_column if no row names a parcel and an amount */
async function* parseList(county: CountyList, page: Page): AsyncGenerator<Candidate> {
  const file = fileName(page);
  if (page.bytes.length === 0) throw new Quarantine('empty_body', `${file} is empty`, page.url);
  const rules: HeadingRules<ListField> = {
    fields: withColumnMap<ListField>(fieldsByHeading(county.headings), LIST_FIELDS, normalizeHeading, page),
    normalize: normalizeHeading,
    needed: ['parcel', 'amount'],
    advice: `Map the heading to ignore to null in a file ${COLUMNS_FILE} next to ${file}`,
  };
  const tables = await tablesOf(page);
  const parsed = tables.map((rows) => tableCandidates(rows, county, rules, page)).filter((rows) => rows !== null);
  if (parsed.length > 0) {
    yield* parsed.flat();
    return;
  }
  const found = JSON.stringify(firstFilledRow(tables));
  throw new Quarantine(
    'missing_column',
    `${file}: no row names both a parcel (${HEADINGS.parcel.replaceAll(' | ', ', ')}) and an amount ` +
      `(${HEADINGS.amount.replaceAll(' | ', ', ')}); the first row is ${found}. Map the list's own headings in a ` +
      `file ${COLUMNS_FILE} next to it, such as {"Folio": "parcel", "Owed": "amount"}`,
    page.url,
  );
}

async function* fetchPosted(ctx: FetchContext, url: string): AsyncGenerator<Page> {
  yield await ctx.get(url, { kind: 'xlsx', magic: 'PK', minBytes: 500 });
}

/** An adapter for one county. */
export function countyListFile(county: CountyList): SourceSpec {
  const { posted } = county;
  const about = (form: string): string =>
    `The county's delinquency list as ${form}, under any name. It needs headings for the parcel number and the ` +
    `amount; a file ${COLUMNS_FILE} next to it maps other headings. ` +
    'All files in the folder are read, so leave only the newest list in it.';
  return defineSource({
    name: county.name,
    family: 'tax',
    title: county.title,
    home: county.home,
    county: county.county,
    terms: county.terms,
    everyDays: county.everyDays,
    hosts: posted ? [new URL(posted.url).host] : [],
    minIntervalMs: 5000,
    row: TaxParcel,
    contradictions: 'refused',
    // A list may be far shorter than the one before: counties make them at different times of the year.
    expect: posted?.expect ?? { minRows: 1, maxRejectShare: 0.05, maxDropShare: 0.6 },
    drop: [
      { pattern: /\.csv$/u, file: 'list.csv', kind: 'csv', about: about('CSV'), beside: COLUMNS_FILE },
      {
        pattern: /\.xlsx?$/u,
        file: 'list.xlsx',
        kind: 'xlsx',
        about: about('an Excel workbook'),
        beside: COLUMNS_FILE,
      },
    ],
    ...(posted ? { fetch: (ctx: FetchContext) => fetchPosted(ctx, posted.url) } : {}),
    parse: (page) => parseList(county, page),
  });
}

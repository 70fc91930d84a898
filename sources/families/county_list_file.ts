/**
 * Counties whose delinquency list is a table in a file. Most of these lists have no address of their own that a
 * program could read: the operator gets the list from the county (auditor, treasurer, newspaper) and drops it as
 * CSV or XLSX. Where the county posts a workbook under one name, it is read from there.
 *
 * Dropped files have no fixed layout, so a column is known by its heading: every field has headings that mean it, and
 * a county may add its own. The heading row is the first that names a parcel and an amount; title rows above it
 * are passed over, as are columns that mean nothing here. Two columns for the same field are not guessed between.
 * A posted workbook has the columns it always has, or is not believed.
 */
import {
  defineSource,
  Quarantine,
  type Candidate,
  type FetchContext,
  type Page,
  type SourceSpec,
} from '../contract.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import {
  candidate,
  checkColumns,
  integer,
  joined,
  money,
  optional,
  readCsv,
  refuse,
  state,
  tidy,
  year,
  zip,
} from '../values.ts';
import { mailing, postcode, situs } from './addresses.ts';
import { readXlsx, type Cell } from '../csv/xlsx.ts';

/** Headings by what they mean, compared without case, spaces and punctuation. */
const HEADINGS = {
  parcel: [
    'Parcel',
    'Parcel ID',
    'Parcel Number',
    'Parcel No',
    'Parcel #',
    'Permanent Parcel Number',
    'PPN',
    'PIN',
    'APN',
  ],
  amount: [
    'Amount',
    'Amount Due',
    'Total Due',
    'Delinquent Amount',
    'Amount Delinquent',
    'Delinquent Taxes',
    'Delinquent Tax',
    'Taxes Due',
    'Unpaid Amount',
    'Delinquent Balance',
    'Net Delinquent',
    'Net Delinquent Balance',
    'Total Delinquent',
    'Delinquent Total',
    'Balance',
    'Balance Due',
  ],
  owner: ['Owner', 'Owner Name', 'Owner Name 1', 'Owner 1', 'Taxpayer', 'Taxpayer Name', 'Name'],
  owner2: ['Owner Name 2', 'Owner 2', 'Second Owner', 'Co-Owner'],
  street: [
    'Property Address',
    'Parcel Address',
    'Site Address',
    'Situs',
    'Situs Address',
    'Location',
    'Property Location',
    'Location Address',
    'Parcel Location',
  ],
  city: ['Property City', 'Site City', 'Situs City', 'Location City'],
  zip: ['Property Zip', 'Property Zip Code', 'Site Zip', 'Situs Zip', 'Location Zip'],
  mail1: [
    'Mailing Address',
    'Mailing Address 1',
    'Mail Address',
    'Mailing Street',
    'Owner Address',
    'Owner Address 1',
    'Taxpayer Address',
    'Mail 1',
  ],
  mail2: ['Mailing Address 2', 'Owner Address 2', 'Mail 2'],
  mail3: ['Mailing Address 3', 'Owner Address 3', 'Mail 3'],
  mailCity: ['Mailing City', 'Mail City', 'Owner City', 'Taxpayer City'],
  mailState: ['Mailing State', 'Mail State', 'Owner State', 'Taxpayer State'],
  mailZip: ['Mailing Zip', 'Mailing Zip Code', 'Mail Zip', 'Owner Zip', 'Taxpayer Zip'],
  years: ['Years', 'Years Delinquent', 'Delinquent Years', 'Number of Years Delinquent'],
  certified: [
    'Certified Year',
    'Certified Delinquent Year',
    'Year Certified',
    'Cert Year',
    'Delinquent Year Certified',
  ],
  value: [
    'Market Value',
    'Total Market Value',
    'Appraised Value',
    'Total Appraised Value',
    'Appraised Total',
    'County Value',
    'Auditor Value',
  ],
  propertyClass: [
    'Property Class',
    'Class',
    'Class Code',
    'Land Use',
    'Land Use Code',
    'Land Use Description',
    'Property Type',
    'LUC',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ListField = keyof typeof HEADINGS;

export interface CountyList extends Pick<SourceSpec, 'name' | 'title' | 'home' | 'terms' | 'everyDays'> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** A whole parcel number in the county's form. */
  readonly parcel: RegExp;
  /** One such number, for messages. */
  readonly parcelExample: string;
  /** Further headings of this county's lists. */
  readonly headings?: Partial<Record<ListField, readonly string[]>>;
  /** Where the county posts the list as a workbook, with all the columns it has and what is expected of it. */
  readonly posted?: Pick<SourceSpec, 'expect'> & { readonly url: string; readonly columns: readonly string[] };
}

/** One row of a sheet or CSV file and how it reads in the rejects table. */
interface Line {
  readonly cells: readonly Cell[];
  readonly raw: string;
  readonly where: string;
  /** Every row must have as many cells as the headings: in a CSV file one cell less moves all after it. */
  readonly counted?: boolean;
}

/** Rows above the headings that a list may have: its title, a date, a blank line. */
const MOST_TITLE_ROWS = 20;

const plain = (heading: Cell | undefined): string =>
  String(heading ?? '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

/** Field by plain heading, the county's own headings included. Throws where a heading has two meanings. */
function meanings(own: CountyList['headings']): ReadonlyMap<string, ListField> {
  const found = new Map<string, ListField>();
  for (const field of Object.keys(HEADINGS) as ListField[]) {
    for (const heading of [...HEADINGS[field], ...(own?.[field] ?? [])]) {
      const before = found.get(plain(heading));
      if (before !== undefined && before !== field)
        throw new Error(`the heading ${JSON.stringify(heading)} means both ${before} and ${field}`);
      found.set(plain(heading), field);
    }
  }
  return found;
}

/** Column of each field in a row of headings, or null where it is none. */
function columnsOf(
  line: Line,
  known: ReadonlyMap<string, ListField>,
  page: Page,
): ReadonlyMap<ListField, number> | null {
  const columns = new Map<ListField, number>();
  const twice: string[] = [];
  for (const [at, heading] of line.cells.entries()) {
    const field = known.get(plain(heading));
    if (field === undefined) continue;
    const before = columns.get(field);
    if (before !== undefined)
      twice.push(`${JSON.stringify(line.cells[before])} and ${JSON.stringify(heading)} both mean ${field}`);
    else columns.set(field, at);
  }
  if (!columns.has('parcel') || !columns.has('amount')) return null;
  if (twice.length > 0)
    throw new Quarantine('template_changed', `${line.where}: ${twice.join('; ')}: keep one of them`, page.url);
  return columns;
}

function csvLines(page: Page): Line[] {
  const { header, rows } = readCsv(page.text('windows-1252'), page.url, { looseQuotes: true });
  return [
    { cells: header, raw: header.join(','), where: 'line 1', counted: true },
    ...rows.map(({ cells, raw, line }) => ({ cells, raw, where: `line ${line}`, counted: true })),
  ];
}

const sheetLines = (sheet: ReturnType<typeof readXlsx>[number]): Line[] =>
  sheet.rows.map((cells, at) => ({ cells, raw: JSON.stringify(cells), where: `sheet ${sheet.name} row ${at + 1}` }));

function parcelOf(value: Cell | undefined, where: string, county: CountyList): string {
  const text = tidy(value) ?? refuse('blank_parcel', `${where}: the parcel number is blank`);
  if (county.parcel.test(text)) return text;
  const lost =
    typeof value === 'number' ? ' (the cell is a number, which has no leading zeros: store the column as text)' : '';
  return refuse(
    'bad_parcel',
    `${where}: the parcel number is ${JSON.stringify(value)}, expected one such as ${JSON.stringify(county.parcelExample)}${lost}`,
  );
}

function rowOf(line: Line, columns: ReadonlyMap<ListField, number>, county: CountyList): Candidate {
  const at = (field: ListField): Cell | undefined => {
    const column = columns.get(field);
    return column === undefined ? null : line.cells[column];
  };
  const parcel = tidy(typeof at('parcel') === 'boolean' ? null : at('parcel'));
  const key =
    parcel !== null && county.parcel.test(parcel) ? { county_fips: county.county.fips, parcel_raw: parcel } : undefined;
  return candidate(
    line.raw,
    () => {
      const place =
        columns.has('city') || columns.has('zip')
          ? { street: optional(at('street')), city: optional(at('city')), zip: zip('property ZIP', at('zip')) }
          : situs(at('street'), []);
      const parts =
        columns.has('mailCity') || columns.has('mailZip')
          ? {
              mail_street: joined([at('mail1'), at('mail2'), at('mail3')], ', '),
              mail_city: optional(at('mailCity')),
              mail_state: state('mailing state', at('mailState')),
              mail_zip: postcode(at('mailZip')),
            }
          : mailing([at('mail1'), at('mail2'), at('mail3')]);
      return {
        values: {
          county_fips: county.county.fips,
          county: `${county.county.name}, ${county.county.state}`,
          parcel_raw: parcelOf(at('parcel'), line.where, county),
          owner_name: joined([at('owner'), at('owner2')], ' & '),
          ...place,
          ...parts,
          amount: money('amount', at('amount')) ?? refuse('blank_amount', `${line.where}: the amount is blank`),
          years_delinquent: integer('years delinquent', at('years')),
          certified_year: year('certified year', at('certified')),
          county_value: money('market value', at('value'), { zeroIsUnknown: true }),
          property_class: optional(at('propertyClass')),
        },
      };
    },
    key,
  );
}

/** Rows of one sheet, or null where it has no heading row. Blank rows are none. */
function rowsOf(
  lines: readonly Line[],
  county: CountyList,
  known: ReadonlyMap<string, ListField>,
  page: Page,
): Candidate[] | null {
  for (const [at, line] of lines.slice(0, MOST_TITLE_ROWS).entries()) {
    const columns = columnsOf(line, known, page);
    if (columns === null) continue;
    if (county.posted)
      checkColumns(
        line.cells.map((heading) =>
          String(heading ?? '')
            .trim()
            .toLowerCase(),
        ),
        county.posted.columns,
        page.url,
      );
    return lines
      .slice(at + 1)
      .filter(({ cells }) => cells.some((cell) => typeof cell !== 'boolean' && tidy(cell) !== null))
      .map((row) =>
        row.counted && row.cells.length !== line.cells.length
          ? {
              reject: {
                reason: 'wrong_field_count',
                detail: `${row.where} has ${row.cells.length} cells, the headings are ${line.cells.length}`,
              },
              raw: row.raw,
            }
          : rowOf(row, columns, county),
      );
  }
  return null;
}

async function* readPosted(ctx: FetchContext, url: string): AsyncGenerator<Page> {
  yield await ctx.get(url, { kind: 'xlsx', magic: 'PK', minBytes: 500 });
}

/** An adapter for one county. */
export function countyListFile(county: CountyList): SourceSpec {
  const { posted } = county;
  const known = meanings(county.headings);
  const about = (form: string): string =>
    `The county's delinquency list as ${form}, whatever its name. Headings for the parcel number and the amount are needed; ` +
    'leave the newest list there only, since all files in the folder are read.';
  return defineSource({
    name: county.name,
    family: 'tax',
    title: county.title,
    home: county.home,
    county: county.county,
    terms: county.terms,
    everyDays: county.everyDays,
    hosts: posted ? [new URL(posted.url).host] : [],
    politeness: { minIntervalMs: 5000, concurrency: 1 },
    row: TaxParcel,
    // Lists are made at different times of a year and may be far shorter than the one before.
    expect: posted?.expect ?? { minRows: 1, maxRejectShare: 0.05, maxDropShare: 0.6 },
    drop: [
      { pattern: /\.csv$/u, kind: 'csv', about: about('CSV') },
      { pattern: /\.xlsx$/u, kind: 'xlsx', about: about('an Excel workbook') },
    ],
    ...(posted ? { fetch: (ctx: FetchContext) => readPosted(ctx, posted.url) } : {}),
    parse: (page) => {
      if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
      const tables = page.kind === 'csv' ? [csvLines(page)] : readXlsx(page.bytes, page.url).map(sheetLines);
      const read = tables.map((lines) => rowsOf(lines, county, known, page)).filter((rows) => rows !== null);
      if (read.length > 0) return read.flat();
      const first =
        tables.flat().find(({ cells }) => cells.filter((cell) => cell !== null && cell !== '').length > 1)?.cells ?? [];
      throw new Quarantine(
        'missing_column',
        `no row names both a parcel (${HEADINGS.parcel.join(', ')}) and an amount (${HEADINGS.amount.join(', ')}); the first row holds ${JSON.stringify(first)}`,
        page.url,
      );
    },
  });
}

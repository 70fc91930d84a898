/**
 * County delinquency lists in a CSV file or workbook. Most have no address that a program can read: the operator gets
 * the list from the county and drops it. A county that posts a workbook under a fixed name is read from there.
 *
 * Columns are found by their headings (headings.ts). The heading row is the first that names a parcel and an amount;
 * rows above it and unknown columns are ignored. A posted workbook must have exactly its known columns.
 */
import {
  defineSource,
  Quarantine,
  type Candidate,
  type FetchContext,
  type Page,
  type SourceSpec,
} from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import {
  candidateOf,
  cellReader,
  findTable,
  firstFilledRow,
  tablesOf,
  type HeadedTable,
  type HeadingRules,
  type TableRow,
} from '../../csv/headed_table.ts';
import type { Cell } from '../../csv/xlsx.ts';
import { TaxParcel } from '../../rows/tax_parcel.ts';
import { candidate, integer, joined, money, optional, refuse, state, tidy, year, zip } from '../../values.ts';
import { mailing, postcode, situs, type Mailing, type Situs } from '../addresses.ts';
import { fieldsByHeading, HEADINGS, normalizeHeading, type ListField, type OwnHeadings } from './headings.ts';

export interface CountyList extends Pick<SourceSpec, 'name' | 'title' | 'home' | 'terms' | 'everyDays'> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** A whole parcel number in the county's form. */
  readonly parcel: RegExp;
  /** One such number, for messages. */
  readonly parcelExample: string;
  readonly headings?: OwnHeadings;
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

/** Address of the property: from its own columns if the list has them, else from one free text. */
const situsOf = (columns: HeadedTable<ListField>['columns'], cell: CellOf): Situs =>
  columns.has('city') || columns.has('zip')
    ? { street: optional(cell('street')), city: optional(cell('city')), zip: zip('property ZIP', cell('zip')) }
    : situs(cell('street'), []);

/** Address of the owner, the same way. */
function mailingOf(columns: HeadedTable<ListField>['columns'], cell: CellOf): Mailing {
  const lines = [cell('mail1'), cell('mail2'), cell('mail3')];
  if (!columns.has('mailCity') && !columns.has('mailZip')) return mailing(lines);
  return {
    mail_street: joined(lines, ', '),
    mail_city: optional(cell('mailCity')),
    mail_state: state('mailing state', cell('mailState')),
    mail_zip: postcode(cell('mailZip')),
  };
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
        ...situsOf(table.columns, cell),
        ...mailingOf(table.columns, cell),
        parcel_raw: parcelNumber(cell('parcel'), row.where, county),
        owner_name: joined([cell('owner'), cell('owner2')], ' & '),
        amount: money('amount', cell('amount')) ?? refuse('blank_amount', `${row.where}: the amount is blank`),
        years_delinquent: integer('years delinquent', cell('years')),
        certified_year: year('certified year', cell('certified')),
        county_value: money('market value', cell('value'), { zeroIsUnknown: true }),
        property_class: optional(cell('propertyClass')),
      },
    }),
    key,
  );
}

const isFilled = ({ cells }: TableRow): boolean =>
  cells.some((cell) => typeof cell !== 'boolean' && tidy(cell) !== null);

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
  }
  return table.rows.filter(isFilled).map((row) => candidateOf(row, table, (r) => rowCandidate(r, table, county)));
}

/** @throws Quarantine empty_body, or missing_column if no row names a parcel and an amount */
function parseList(county: CountyList, rules: HeadingRules<ListField>, page: Page): Candidate[] {
  if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
  const tables = tablesOf(page);
  const parsed = tables.map((rows) => tableCandidates(rows, county, rules, page)).filter((rows) => rows !== null);
  if (parsed.length > 0) return parsed.flat();
  const found = JSON.stringify(firstFilledRow(tables));
  throw new Quarantine(
    'missing_column',
    `no row names both a parcel (${HEADINGS.parcel.join(', ')}) and an amount (${HEADINGS.amount.join(', ')}); ` +
      `the first row is ${found}. Rename the columns in the file to one of these headings`,
    page.url,
  );
}

async function* fetchPosted(ctx: FetchContext, url: string): AsyncGenerator<Page> {
  yield await ctx.get(url, { kind: 'xlsx', magic: 'PK', minBytes: 500 });
}

/** An adapter for one county. */
export function countyListFile(county: CountyList): SourceSpec {
  const { posted } = county;
  const rules: HeadingRules<ListField> = {
    fields: fieldsByHeading(county.headings),
    normalize: normalizeHeading,
    needed: ['parcel', 'amount'],
    advice: 'Remove one of them from the file',
  };
  const about = (form: string): string =>
    `The county's delinquency list as ${form}, under any name. It needs headings for the parcel number and the ` +
    'amount. All files in the folder are read, so leave only the newest list in it.';
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
    // A list may be far shorter than the one before: counties make them at different times of the year.
    expect: posted?.expect ?? { minRows: 1, maxRejectShare: 0.05, maxDropShare: 0.6 },
    drop: [
      { pattern: /\.csv$/u, file: 'list.csv', kind: 'csv', about: about('CSV') },
      { pattern: /\.xlsx$/u, file: 'list.xlsx', kind: 'xlsx', about: about('an Excel workbook') },
    ],
    ...(posted ? { fetch: (ctx: FetchContext) => fetchPosted(ctx, posted.url) } : {}),
    parse: (page) => parseList(county, rules, page),
  });
}

/**
 * Montgomery County, Ohio: the Treasurer's delinquency file, a zipped CSV posted once a month. Headers and values are
 * padded with spaces, the text is Windows-1252, some records are broken over two lines, and amounts are padded with
 * zeros. NETDELQ is the debt, ASMTTOTAL the value.
 */
import { load } from 'cheerio/slim';
import { defineSource, Quarantine, type Candidate, type Page } from '../../contract.ts';
import { decodeText } from '../../fetch/decode.ts';
import { mailing } from '../../families/addresses.ts';
import { unzip } from '../../csv/zip.ts';
import { TaxParcel } from '../../rows/tax_parcel.ts';
import { checkColumns, readCsv, readCsvByLine, type CsvRow } from '../../csv/csv.ts';
import {
  candidate,
  cents,
  decimal,
  divide,
  joined,
  money,
  optional,
  refuse,
  TAXABLE_SHARE,
  tidy,
  year,
} from '../../values.ts';

const BASE = 'https://go.mcohio.org';
const FIPS = '39113';
const COUNTY = 'Montgomery County, OH';

const COLUMNS = (
  'PARCELID HLF1CHG HLF2CHG HLF1RED HLF2RED HLF1ADJ HLF2ADJ HLF1RLBK HLF2RLBK HLF1HMSD HLF2HMSD HLF1HMRB HLF2HMRB ' +
  'HLF1PN HLF2PEN HLF1SPASMTS HLF2SPASMTS FULLYRAMTDUE NETDELQ HLF1AMTDUE HLF2AMTDUE HLF1DAYCRDT HLF2DAYCRDT ' +
  'PARCELLOCATION LEGAL1 LEGAL2 LEGAL3 ACRES TXDST CLS LUC AGLAND TAXABLELAND TAXABLEBLDG TAXABLETOTAL ASMTLAND ' +
  'ASMTBLDG PUBLICUTILITY ROLLTYPE ASMTTOTAL OWNERNAME1 OWNERNAME2 MAILINGNAME1 MAILINGNAME2 PADDR1 PADDR2 PADDR3 ' +
  'MORTCO NBHD ASMTWEN AC HMSDLAND HMSDBLDG FRCLSR SALESDTE PRICE YRBL GROSSRATE EFFRATE REDRATE DUEDATE CERTDLQYR'
).split(' ');

/**
 * Fourteen characters: district, six of the book, a space or a letter, four of the lot: "R72 08110 0087",
 * "R72 08201A0005", "R72317117 0016". Typed lists put a space before a book of six digits, or leave one out.
 */
const PARCEL = /^[A-Z]\d\d ?\d{5,6}[ A-Z]?\d{4}$/u;

const keyOf = (row: CsvRow): Readonly<Record<string, string>> | undefined => {
  const parcel = tidy(row.cells[0]) ?? '';
  return PARCEL.test(parcel) ? { county_fips: FIPS, parcel_raw: parcel } : undefined;
};

function parcelOf(row: CsvRow): string {
  const parcel = tidy(row.cells[0]);
  if (parcel !== null && PARCEL.test(parcel)) return parcel;
  const found = JSON.stringify(row.cells[0]);
  return refuse('bad_parcel', `line ${row.line}: the parcel number is ${found}, expected one such as "R72 08110 0087"`);
}

function checkLength(row: CsvRow, expected: number): void {
  if (row.cells.length !== expected)
    refuse('wrong_field_count', `line ${row.line} has a field count of ${row.cells.length}, expected ${expected}`);
}

/** Market value on the roll; computed from the taxable value if the roll omits it. */
function marketValue(total: unknown, taxable: unknown): string | null {
  const stated = cents('ASMTTOTAL', total, { zeroIsUnknown: true });
  if (stated !== null) return decimal(stated);
  const share = cents('TAXABLETOTAL', taxable, { zeroIsUnknown: true });
  return share === null ? null : decimal(divide(share, TAXABLE_SHARE));
}

function delinquency(bytes: Uint8Array, page: Page): readonly Candidate[] {
  const { header, rows } = readCsvByLine(decodeText(bytes, 'windows-1252', page.url), page.url);
  checkColumns(header, COLUMNS, page.url);
  return rows.map((row) =>
    candidate(
      row.raw,
      () => {
        checkLength(row, header.length);
        const at = (name: string): string | undefined => row.cells[header.indexOf(name)];
        return {
          values: {
            county_fips: FIPS,
            county: COUNTY,
            parcel_raw: parcelOf(row),
            owner_name: joined([at('OWNERNAME1'), at('OWNERNAME2')], ' & '),
            street: optional(at('PARCELLOCATION')),
            city: null,
            zip: null,
            ...mailing([at('PADDR1'), at('PADDR2'), at('PADDR3')]),
            amount: money('NETDELQ', at('NETDELQ')) ?? refuse('blank_amount', `line ${row.line}: NETDELQ is blank`),
            years_delinquent: null,
            certified_year: year('CERTDLQYR', at('CERTDLQYR')),
            county_value: marketValue(at('ASMTTOTAL'), at('TAXABLETOTAL')),
            property_class: optional(at('LUC')) ?? optional(at('CLS')),
          },
        };
      },
      keyOf(row),
    ),
  );
}

/** The City of Dayton's list of delinquent parcels open to its REAP program: numbers and streets only. */
function reap(page: Page): readonly Candidate[] {
  const { header, rows } = readCsv(page.text('windows-1252'), page.url);
  // Spreadsheets export empty columns without a name after the last.
  checkColumns(header.filter(Boolean), ['KeyParcelId', 'Additional Parcel Indexes', 'Parcel Address'], page.url);
  return rows.map((row) =>
    candidate(
      row.raw,
      () => {
        checkLength(row, header.length);
        return {
          values: {
            county_fips: FIPS,
            county: COUNTY,
            parcel_raw: parcelOf(row),
            owner_name: null,
            street: optional(row.cells[header.indexOf('Parcel Address')]),
            city: null,
            zip: null,
            mail_street: null,
            mail_city: null,
            mail_state: null,
            mail_zip: null,
            amount: null,
            years_delinquent: null,
            certified_year: null,
            county_value: null,
            property_class: null,
          },
        };
      },
      keyOf(row),
    ),
  );
}

/** The delinquency CSV of an archive. @throws Quarantine malformed_page if it has none */
function csvOf(page: Page): Uint8Array {
  const files = [...unzip(page.bytes, page.url, (name) => /\.csv$/iu.test(name))];
  const [, csv] = files.find(([name]) => /delq/iu.test(name)) ?? files[0] ?? [];
  if (!csv) throw new Quarantine('malformed_page', 'the archive has no CSV file', page.url);
  return csv;
}

/** Address of the newest file posted by `day`. The links have backslashes and lack quotes. */
function newestFile(page: Page, day: string): string {
  const $ = load(page.text('windows-1252'));
  const posted = $('a[href]')
    .toArray()
    .map((link) => ($(link).attr('href') ?? '').replaceAll('\\', '/'))
    .filter((href) => URL.canParse(href, page.url))
    .map((href) => new URL(href, page.url).pathname)
    .map((path) => ({ path, on: /\/Delq_(\d{8})\.zip$/iu.exec(path)?.[1] }))
    .filter((file): file is { path: string; on: string } => file.on !== undefined && file.on <= day.replaceAll('-', ''))
    .sort((a, b) => (a.on < b.on ? 1 : -1));
  const newest = posted[0];
  if (!newest)
    throw new Quarantine('template_changed', `the page links to no Delq_YYYYMMDD.zip posted by ${day}`, page.url);
  return new URL(newest.path, BASE).href;
}

export default defineSource({
  name: 'oh_montgomery_tax',
  family: 'tax',
  title: "Montgomery County tax delinquency (Treasurer's file)",
  home: `${BASE}/applications/treasurer/search/filedownloads.cfm`,
  county: { fips: FIPS, name: 'Montgomery County', state: 'OH' },
  terms: {
    basis: 'public_record',
    note: 'The Treasurer posts the file for download; terms of use were not found, so the operator should ask.',
  },
  everyDays: 7,
  hosts: ['go.mcohio.org'],
  politeness: { minIntervalMs: 5000, concurrency: 1 },
  row: TaxParcel,
  contradictions: 'refused_in_page',
  expect: { minRows: 50, maxRejectShare: 0.05, maxDropShare: 0.3, joins: { address: 0.7 } },
  drop: [
    {
      pattern: /^delq_\d{8}\.zip$/u,
      file: 'Delq_20261101.zip',
      kind: 'zip',
      about: "The Treasurer's file as downloaded, Delq_YYYYMMDD.zip.",
    },
    { pattern: /^delq_\d{8}\.csv$/u, file: 'Delq_20261101.csv', kind: 'csv', about: 'The same, unzipped.' },
    {
      pattern: /reap.*\.csv$/u,
      file: 'REAP.csv',
      kind: 'reap',
      about:
        "Dayton's list of parcels open to its REAP program, with the columns KeyParcelId, Additional Parcel Indexes, " +
        'Parcel Address: no owner and no amount.',
    },
  ],
  async *fetch(ctx) {
    const posted = await ctx.get(`${BASE}/applications/treasurer/search/fdpopup.cfm?dtype=DQ`, {
      kind: 'files',
      accept: 'text/html',
    });
    yield await ctx.get(newestFile(posted, ctx.asOf), { kind: 'zip', magic: 'PK', minBytes: 500 });
  },
  parse: (page) => {
    if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
    if (page.kind === 'reap') return reap(page);
    return delinquency(page.kind === 'csv' ? page.bytes : csvOf(page), page);
  },
});

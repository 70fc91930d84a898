/**
 * Montgomery County, Ohio: the Treasurer's delinquency file, posted once a month. Amounts are padded with zeros.
 * NETDELQ is the debt, ASMTTOTAL the value. City and ZIP of the property are on the tax roll
 * (oh_montgomery_parcels).
 */
import { completeRow } from '../../lib/record.ts';
import { type Candidate, defineSource, type Page, Quarantine } from '../contract.ts';
import { decodeText } from '../fetch/page.ts';
import { mailing } from '../readers/addresses.ts';
import {
  ARCHIVE_START,
  checkLength,
  COUNTY,
  fetchNewest,
  FIPS,
  keyOf,
  marketValue,
  MONTGOMERY_FILE,
  parseParcel,
  startOfCsv,
} from '../readers/montgomery_files.ts';
import { unzip } from '../csv/zip.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import { checkColumns, readCsv } from '../csv/csv.ts';
import { candidate, joined, money, optional, refuse, year } from '../values.ts';

const COLUMNS = (
  'PARCELID HLF1CHG HLF2CHG HLF1RED HLF2RED HLF1ADJ HLF2ADJ HLF1RLBK HLF2RLBK HLF1HMSD HLF2HMSD HLF1HMRB HLF2HMRB ' +
  'HLF1PN HLF2PEN HLF1SPASMTS HLF2SPASMTS FULLYRAMTDUE NETDELQ HLF1AMTDUE HLF2AMTDUE HLF1DAYCRDT HLF2DAYCRDT ' +
  'PARCELLOCATION LEGAL1 LEGAL2 LEGAL3 ACRES TXDST CLS LUC AGLAND TAXABLELAND TAXABLEBLDG TAXABLETOTAL ASMTLAND ' +
  'ASMTBLDG PUBLICUTILITY ROLLTYPE ASMTTOTAL OWNERNAME1 OWNERNAME2 MAILINGNAME1 MAILINGNAME2 PADDR1 PADDR2 PADDR3 ' +
  'MORTCO NBHD ASMTWEN AC HMSDLAND HMSDBLDG FRCLSR SALESDTE PRICE YRBL GROSSRATE EFFRATE REDRATE DUEDATE CERTDLQYR'
).split(' ');

/** The delinquency files. */
const FILE = { code: 'DQ', name: /^Delq_(\d{8})\.zip$/iu, example: 'Delq_YYYYMMDD.zip' };

function delinquency(bytes: Uint8Array, page: Page): readonly Candidate[] {
  const { header, rows } = readCsv(decodeText(bytes, 'windows-1252', page.url), page.url, { byLine: true });
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
            parcel_raw: parseParcel(row.cells[0], row.line),
            owner_name: joined([at('OWNERNAME1'), at('OWNERNAME2')], ' & '),
            street: optional(at('PARCELLOCATION')),
            city: null,
            zip: null,
            ...mailing([at('PADDR1'), at('PADDR2'), at('PADDR3')]),
            amount: money('NETDELQ', at('NETDELQ')) ?? refuse('blank_amount', `line ${row.line}: NETDELQ is blank`),
            amount_basis: 'net',
            years_delinquent: null,
            certified_year: year('CERTDLQYR', at('CERTDLQYR')),
            paid_on: null,
            county_value: marketValue(at('ASMTTOTAL'), at('TAXABLETOTAL')),
            property_class: optional(at('LUC')) ?? optional(at('CLS')),
          },
        };
      },
      keyOf(row.cells[0]),
    ),
  );
}

/**
 * The City of Dayton's list of delinquent parcels open to its REAP program: numbers and streets only. Additional lots
 * of a property, such as "2,3" or "10*", are not read: the list does not say that they are delinquent too.
 */
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
          values: completeRow(TaxParcel, {
            county_fips: FIPS,
            county: COUNTY,
            parcel_raw: parseParcel(row.cells[0], row.line),
            street: optional(row.cells[header.indexOf('Parcel Address')]),
          }),
        };
      },
      keyOf(row.cells[0]),
    ),
  );
}

/** The delinquency CSV of an archive. @throws Quarantine malformed_page if it has none */
function unpackCsv(page: Page): Uint8Array {
  const files = [...unzip(page.bytes, page.url, (name) => /\.csv$/iu.test(name))];
  const [, csv] = files.find(([name]) => /delq/iu.test(name)) ?? files[0] ?? [];
  if (!csv) throw new Quarantine('malformed_page', 'the archive has no CSV file', page.url);
  return csv;
}

export default defineSource({
  ...MONTGOMERY_FILE,
  name: 'oh_montgomery_tax',
  family: 'tax',
  title: "Montgomery County tax delinquency (Treasurer's file)",
  row: TaxParcel,
  contradictions: 'refused_in_page',
  expect: { minRows: 50, maxRejectShare: 0.05, maxDropShare: 0.3, joins: { address: 0.7, parcel: 0.6 } },
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
    yield await fetchNewest(ctx, FILE);
  },
  parse: (page) => {
    if (page.bytes.length === 0) throw new Quarantine('empty_body', 'the file is empty', page.url);
    if (page.kind === 'reap') return reap(page);
    if (page.kind === ARCHIVE_START) return delinquency(startOfCsv(page), page);
    return delinquency(page.kind === 'csv' ? page.bytes : unpackCsv(page), page);
  },
});

/**
 * Montgomery County, Ohio: addresses of the delinquency list's parcels, from the Treasurer's tax roll, which has the
 * city and the ZIP that the list lacks. The archive of about 33 MB unpacks to 656 MB: it is read line by line, and only
 * parcels with a delinquent amount are staged, 13,577 of 254,693.
 *
 * Known from public readers: the file's name, its 82 columns and their padding, and the page of kind TR that lists the
 * files. Not confirmed, as no row was recorded: how CITY/TOWNSHIP spells a place. It is the municipality, which mail
 * may not name; a township is never in an address, so it gives no city. Nor is it confirmed how the tax of a year
 * follows from the charges, reductions and credits of its halves, or whether FULLYRAMTDUE includes the delinquent
 * amount: no annual tax is read.
 */
import { completeRow } from '../../lib/record.ts';
import { type Candidate, defineSource, type Page, Quarantine } from '../contract.ts';
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
import { checkColumns, csvLines } from '../csv/csv.ts';
import { unzipParts } from '../csv/zip.ts';
import { Parcel } from '../rows/parcel.ts';
import { candidate, cents, optional, Refusal, zip } from '../values.ts';

const COLUMNS = [
  ...(
    'TXYR PARCELID HLF1CHG HLF2CHG HLF1RED HLF2RED HLF1ADJ HLF2ADJ HLF1RLBK HLF2RLBK HLF1HMSD HLF2HMSD HLF1HMRB ' +
    'HLF2HMRB HLF1PEN HLF2PEN HLF1SPASMTS HLF2SPASMTS FULLYRAMTDUE NETDELQ HLF1AMTDUE HLF2AMTDUE HLF1DAYCRDT ' +
    'HLF2DAYCRDT PARCELLOCATION LEGAL1 LEGAL2 LEGAL3 ACRES TXDST CLS LUC AGLAND ASMTLAND ASMTBLDG ASMTTOTAL ' +
    'TAXABLELAND TAXABLEBLDG PUBLICUTILITY ROLLTYPE TAXABLETOTAL OWNERNAME1 OWNERNAME2 MAILINGNAME1 MAILINGNAME2 ' +
    'PADDR1 PADDR2 PADDR3 CITYNAME MORTCO NBHD ASMTWEN AC HMSDLAND HMSDBLDG FRCLSR SALESDTE PRICE YRBL GROSSRATE ' +
    'EFFRATE REDRATE DUEDATE B HLF1DELQ RENTALREG AETASMTLAND AETASMTBLDG AETASMTTOTAL AETTAXABLELAND ' +
    'AETTAXABLEBLDG AETTAXABLETOTAL CASMTLAND CTAXABLELAND HMSDFLAG'
  ).split(' '),
  'SQ. FT.',
  'DYTNCRDT',
  'OWNOCC',
  'CITY/TOWNSHIP',
  'SCHOOL DISTRICT',
  'PARCEL LOCATION ZIP',
  'CENSUS TRACT',
];

/** The tax roll's files. */
const FILE = { code: 'TR', name: /^TAXROLL_(\d{8})\.zip$/iu, example: 'TAXROLL_YYYYMMDD.zip' };
/** Twice the size of the roll in 2026, packed and unpacked. */
const PACKED_BYTES = 66_000_000;
const UNPACKED_BYTES = 1_300_000_000;

/** The city or village of a parcel. */
function municipality(value: string | undefined): string | null {
  const text = optional(value);
  return text === null || /\b(?:TWP|TOWNSHIP)\b/iu.test(text) ? null : text;
}

/** Rows of the roll with a delinquent amount. */
async function* roll(page: Page): AsyncGenerator<Candidate> {
  let header: readonly string[] | undefined;
  const parts =
    page.kind === ARCHIVE_START
      ? [startOfCsv(page)]
      : unzipParts(page.bytes, page.url, (name) => /\.csv$/iu.test(name), UNPACKED_BYTES);
  for await (const { cells, raw, line } of csvLines(parts, page.url)) {
    if (header === undefined) {
      header = cells.map((name) => name.trim());
      checkColumns(header, COLUMNS, page.url);
      continue;
    }
    const names = header;
    const at = (name: string): string | undefined => cells[names.indexOf(name)];
    const row = { cells, line };
    if (cells.length === names.length && !owes(at('NETDELQ'))) continue;
    yield candidate(
      raw,
      () => {
        checkLength(row, names.length);
        const city = municipality(at('CITY/TOWNSHIP'));
        return {
          values: completeRow(Parcel, {
            county_fips: FIPS,
            county: COUNTY,
            parcel_raw: parseParcel(at('PARCELID'), line),
            is_lot: false,
            street: optional(at('PARCELLOCATION')),
            city,
            city_is_municipality: city !== null,
            zip: zip('PARCEL LOCATION ZIP', at('PARCEL LOCATION ZIP')),
            county_value: marketValue(at('ASMTTOTAL'), at('TAXABLETOTAL')),
            property_class: optional(at('LUC')) ?? optional(at('CLS')),
          }),
        };
      },
      keyOf(at('PARCELID')),
    );
  }
  if (header === undefined) throw new Quarantine('empty_body', 'the CSV file has no header', page.url);
}

/** Whether a delinquent amount may be owed. An amount that cannot be read is left to the delinquency list to reject. */
function owes(amount: string | undefined): boolean {
  try {
    return (cents('NETDELQ', amount) ?? 0n) > 0n;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return true;
  }
}

export default defineSource({
  ...MONTGOMERY_FILE,
  name: 'oh_montgomery_parcels',
  family: 'parcels',
  title: "Montgomery County parcel addresses (Treasurer's tax roll)",
  row: Parcel,
  contradictions: 'refused',
  expect: { minRows: 50, maxRejectShare: 0.05, maxDropShare: 0.3, joins: { zip: 0.6, parcel: 0.6 } },
  drop: [
    {
      pattern: /^taxroll_\d{8}\.zip$/u,
      file: 'TAXROLL_20261101.zip',
      kind: 'zip',
      about: "The Treasurer's tax roll as downloaded, TAXROLL_YYYYMMDD.zip.",
    },
  ],
  async *fetch(ctx) {
    yield await fetchNewest(ctx, FILE, PACKED_BYTES);
  },
  parse: (page) => roll(page),
});

/**
 * Listings in the operator's own files: brokers' lists, CRM exports, downloads of a property portal. All files in the
 * folder are read together, so replacing one broker's list keeps the others.
 */
import { defineSource } from '../../contract.ts';
import { COLUMNS_FILE } from '../../csv/column_map.ts';
import { parseListingFile } from '../../families/listing_files/parse.ts';
import { Listing } from '../../rows/listing.ts';

const about =
  'the current list of a broker or portal as text with commas, tabs or semicolons, under any name. ' +
  'It needs headings for price, city, state and ZIP, or for price and a whole address; ' +
  `a file ${COLUMNS_FILE} next to it maps other headings`;

export default defineSource({
  name: 'operator_files',
  family: 'listings',
  title: "Listings in files dropped by the operator (brokers' lists, portal downloads)",
  home: 'file:///drop/operator_files/',
  terms: {
    basis: 'permission',
    note:
      'The operator must have the right to use each file as this service does, including resale of derived data; ' +
      "a portal's download is usually for personal use only, and its terms were not obtained.",
  },
  everyDays: 7,
  hosts: [],
  politeness: { minIntervalMs: 0, concurrency: 1 },
  row: Listing,
  // A portal's download may have one property type or many.
  expect: {
    minRows: 1,
    maxRejectShare: 0.25,
    maxDropShare: 0.8,
  },
  drop: [
    { pattern: /\.(?:csv|tsv|tab|txt)$/u, file: 'list.csv', kind: 'csv', about, beside: COLUMNS_FILE },
    {
      pattern: /\.xls[xm]?$/u,
      file: 'list.xlsx',
      kind: 'xlsx',
      about: 'an Excel workbook',
      beside: COLUMNS_FILE,
    },
    { pattern: /\.html?$/u, file: 'list.html', kind: 'html', about: 'a saved page with a table', beside: COLUMNS_FILE },
    { pattern: /\.json$/u, file: 'list.json', kind: 'json', about: 'a list of objects', beside: COLUMNS_FILE },
  ],
  parse: parseListingFile,
});

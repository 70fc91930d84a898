/**
 * Listings in files of the operator's own: brokers' lists, CRM exports, downloads of a property portal. All files in
 * the folder are read together, so a broker's newer list takes the place of the older one and not that of another's.
 */
import { defineSource } from '../../contract.ts';
import { COLUMNS_FILE, parseListingFile } from '../../families/listing_files.ts';
import { Listing } from '../../rows/listing.ts';

const about = (form: string): string =>
  `Listings as ${form}, whatever its name. Headings for city, state, ZIP and price are needed; ${COLUMNS_FILE} beside it may map others.`;

export default defineSource({
  name: 'operator_files',
  family: 'listings',
  title: "Listings in files dropped by the operator (brokers' lists, portal downloads)",
  home: 'file:///drop/operator_files/',
  terms: {
    basis: 'permission',
    note: "The operator must have the right to use each file as this service does, resale of what is derived from it included; a portal's download is commonly for personal use only, and its terms were not obtained.",
  },
  everyDays: 7,
  hosts: [],
  politeness: { minIntervalMs: 0, concurrency: 1 },
  row: Listing,
  // A portal's download may be cut to one type of property or hold many.
  expect: { minRows: 1, maxRejectShare: 0.25, maxDropShare: 0.8 },
  drop: [
    { pattern: /\.csv$/u, kind: 'csv', about: about('CSV'), beside: COLUMNS_FILE },
    { pattern: /\.xlsx$/u, kind: 'xlsx', about: about('an Excel workbook'), beside: COLUMNS_FILE },
  ],
  parse: parseListingFile,
});

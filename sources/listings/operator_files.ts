/**
 * Listings in the operator's own files: brokers' lists, CRM exports, downloads of a property portal. Each broker has a
 * folder, whose code is part of the listing ids, because two brokers may both number their listings 1 and 2. Files
 * outside of these folders have no broker: if two of them give one number to two properties, both rows are rejected.
 */
import { defineSource, type DropFormat } from '../contract.ts';
import { parseListingFile } from '../readers/listing_files/parse.ts';
import { ASK_FOR_TABLE } from '../readers/listing_files/tables.ts';
import { Listing } from '../rows/listing.ts';
import { COLUMNS_FILE } from '../csv/headed_table.ts';

/** @param where where the operator puts the list, for messages: "under any name" */
function listingFiles(where: string): readonly DropFormat[] {
  const about =
    `the current list of a broker or portal as text with commas, tabs or semicolons, ${where}. ` +
    'It needs headings for price, city, state and ZIP, or for price and a whole address; ' +
    `a file ${COLUMNS_FILE} next to it maps other headings`;
  const formats = [
    { pattern: /\.(?:csv|tsv|tab|txt)$/u, file: 'list.csv', kind: 'csv', about },
    { pattern: /\.xls[xm]?$/u, file: 'list.xlsx', kind: 'xlsx', about: 'an Excel workbook' },
    { pattern: /\.html?$/u, file: 'list.html', kind: 'html', about: 'a saved page with a table' },
    { pattern: /\.json$/u, file: 'list.json', kind: 'json', about: 'a list of objects' },
  ];
  return formats.map((format) => ({ ...format, beside: COLUMNS_FILE }));
}

/** House number and ZIP: they stay if a street is written in another way. Null without a house number. */
const houseOf = ({ street, zip }: Readonly<Record<string, unknown>>): string | null => {
  const house = /^\d+/u.exec(String(street ?? ''))?.[0];
  return house === undefined ? null : `house ${house} in ${String(zip)}`;
};

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
  row: Listing,
  // A portal's download may have one property type or many, and a few brokers may share numbers.
  expect: {
    minRows: 1,
    maxRejectShare: 0.25,
    uncountedRejects: [
      'not_multifamily',
      'contradictory_rows',
      'hidden_sheet',
      'hidden_row',
      'hidden_column',
      'unread_column',
    ],
    maxDropShare: 0.8,
  },
  // One address at two prices in one list: neither is known to be right.
  contradictions: 'refused_in_page',
  contradictory: ['list_price', 'units'],
  drop: listingFiles('in a folder named for the broker'),
  dropFolders: { ask: `${ASK_FOR_TABLE}.`, thingOf: houseOf },
  parse: parseListingFile,
});

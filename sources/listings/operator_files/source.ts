/**
 * Listings in the operator's own files: brokers' lists, CRM exports, downloads of a property portal. Each broker has a
 * folder, whose code is part of the listing ids, because two brokers may both number their listings 1 and 2. Files
 * outside of these folders have no broker: if two of them give one number to two properties, both rows are rejected.
 */
import { defineSource } from '../../contract.ts';
import { listingFiles } from '../../families/listing_files/formats.ts';
import { parseListingFile } from '../../families/listing_files/parse.ts';
import { ASK_FOR_TABLE } from '../../families/listing_files/tables.ts';
import { Listing } from '../../rows/listing.ts';

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
  politeness: { minIntervalMs: 0, concurrency: 1 },
  row: Listing,
  // A portal's download may have one property type or many, and a few brokers may share numbers.
  expect: {
    minRows: 1,
    maxRejectShare: 0.25,
    uncountedRejects: ['not_multifamily', 'contradictory_rows'],
    maxDropShare: 0.8,
  },
  drop: listingFiles('in a folder named for the broker'),
  dropFolders: { ask: `${ASK_FOR_TABLE}.`, thingOf: houseOf },
  parse: parseListingFile,
});

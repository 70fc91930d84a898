/**
 * Kansas City, Missouri, from the city's open data portal. No row was recorded; what follows is known from public
 * readers.
 *
 * Open violations of the exterior of buildings, from the city's case system: a row is one violation; the violations of
 * one case are one record. Complaints to the city's 311 line, table tezm-fh2e, are not read: a complaint is not yet a
 * violation. Violations inside buildings are in no table. Known: the columns, a case number "NPD-2025-03707", its
 * status "Court Case Pending", and that POSTALCODE is a number with a decimal point. The table has open cases only, so
 * a case is open unless its status says that it was closed. `pin` is the city's own number of the property; it is not
 * read, because nothing confirms that it is the county's parcel number. No column gives the day on which a case began.
 *
 * The list of dangerous buildings, about 375 cases, updated once a month: the city orders their repair or demolition,
 * so a dangerous building is a condemned one here. Known: the columns, and "Ongoing Case" and words about asbestos,
 * bids and demolition in the status of cases. A case on the list is open unless its status says that it was closed.
 */
import type { SourceSpec } from '../contract.ts';
import { socrataTable } from '../readers/open_data/socrata.ts';
import { type Group, textsOf } from '../readers/open_data/table.ts';
import { date, optional, published, zip } from '../values.ts';

const PORTAL = 'https://data.kcmo.org';
const CITY = 'Kansas City';

/** ZIPs of the city north of the Missouri River, in Clay County and Platte County. */
const NORTH_OF_RIVER = /^641(?:1[6-9]|5[0-8]|6[0-8])$/u;

/** A ZIP that the portal holds as a number: "64131.0" is 64131. */
const zipOfNumber = (cell: unknown): string | null => published(cell)?.replace(/\.0+$/u, '') ?? null;

/** Why rows are not of Jackson County, which most of the city is in. The tables do not state the county. */
const inOtherCounty =
  (column: string) =>
  ([row]: Group): readonly [string, string] | null => {
    const found = zipOfNumber(row[column]);
    return found !== null && NORTH_OF_RIVER.test(found)
      ? ['other_county', `${column} is ${found}, which is in Clay or Platte County`]
      : null;
  };

/** What the declarations of both tables share. @param zipColumn column with the ZIP */
const inKansasCity = (table: string, kind: 'code_violation' | 'condemned', zipColumn: string) =>
  ({
    family: 'distress',
    home: `${PORTAL}/d/${table}`,
    county: { fips: '29095', name: 'Jackson County', state: 'MO' },
    covers: { kinds: [kind], city: CITY },
    terms: {
      basis: 'open_data',
      note: "Published as open data by the city; neither a license nor the portal's terms of use were read.",
      url: `${PORTAL}/d/${table}`,
    },
    portal: PORTAL,
    table,
    link: 'casenumber',
    identity: ({ casenumber }: Group[0]) => ({
      signal_type: kind,
      record_number: published(casenumber),
      parcel_raw: null,
    }),
    outside: inOtherCounty(zipColumn),
  }) as const;

const code: SourceSpec = socrataTable<'distress'>({
  ...inKansasCity('w5nm-8qv8', 'code_violation', 'postalcode'),
  name: 'mo_kansas_city_code',
  title: 'Kansas City code violations (open exterior violations)',
  everyDays: 1,
  expect: {
    minRows: 5,
    maxRejectShare: 0.05,
    uncountedRejects: ['other_county'],
    maxDropShare: 0.4,
    joins: { address: 0.7, zip: 0.7 },
  },
  columns: ['casenumber', 'case_status', 'street_address', 'postalcode', 'description', 'vio_status'],
  group: ['casenumber'],
  record: (rows) => {
    const [first] = rows;
    const state = optional(first.case_status);
    return {
      street: optional(first.street_address),
      city: CITY,
      zip: zip('postalcode', zipOfNumber(first.postalcode)),
      record_state: /^(?:closed|resolved|complied)/iu.test(state ?? '') ? 'closed' : 'open',
      state_raw: state ?? textsOf('vio_status', rows),
      description: textsOf('description', rows),
    };
  },
});

const dangerous: SourceSpec = socrataTable<'distress'>({
  ...inKansasCity('ax3m-jhxx', 'condemned', 'zip_code'),
  name: 'mo_kansas_city_dangerous',
  title: 'Kansas City dangerous buildings',
  everyDays: 7,
  expect: {
    minRows: 3,
    maxRejectShare: 0.05,
    uncountedRejects: ['other_county'],
    maxDropShare: 0.4,
    joins: { address: 0.7, zip: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 180 },
  },
  columns: ['casenumber', 'address', 'zip_code', 'case_opened', 'statusofcase'],
  record: ([row]) => ({
    street: optional(row.address),
    city: CITY,
    zip: zip('zip_code', zipOfNumber(row.zip_code)),
    filed_on: date('case_opened', row.case_opened),
    record_state: /\b(?:closed|demolished|released)\b/iu.test(optional(row.statusofcase) ?? '') ? 'closed' : 'open',
    state_raw: optional(row.statusofcase),
    description: 'Dangerous building',
  }),
});

export default [code, dangerous];

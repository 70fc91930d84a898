/**
 * Kansas City, Missouri: open violations of the exterior of buildings, from the city's case system. A row is one
 * violation; the violations of one case are one record. Complaints to the city's 311 line, table tezm-fh2e, are not
 * read: a complaint is not yet a violation. Violations inside buildings are in no table. Known from public readers: the
 * columns, a case number "NPD-2025-03707", its status "Court Case Pending", and that POSTALCODE is a number with a
 * decimal point. No row was recorded. The table has open cases only, so a case is open unless its status says that it
 * was closed. `pin` is the city's own number of the property; it is not read, because nothing confirms that it is the
 * county's parcel number. No column gives the day on which a case began.
 */
import { inOtherCounty, KANSAS_CITY, kansasCityTerms, zipOfNumber } from '../families/open_data/kansas_city.ts';
import { socrataTable } from '../families/open_data/socrata.ts';
import { textsOf } from '../families/open_data/table.ts';
import { optional, published, zip } from '../values.ts';

const HOME = 'https://data.kcmo.org/d/w5nm-8qv8';

export default socrataTable<'distress'>({
  name: 'mo_kansas_city_code',
  family: 'distress',
  title: 'Kansas City code violations (open exterior violations)',
  home: HOME,
  county: KANSAS_CITY.county,
  covers: { kinds: ['code_violation'], city: KANSAS_CITY.city },
  terms: kansasCityTerms(HOME),
  everyDays: 1,
  expect: {
    minRows: 5,
    maxRejectShare: 0.05,
    uncountedRejects: ['other_county'],
    maxDropShare: 0.4,
    joins: { address: 0.7, zip: 0.7 },
  },
  portal: KANSAS_CITY.portal,
  table: 'w5nm-8qv8',
  columns: ['casenumber', 'case_status', 'street_address', 'postalcode', 'description', 'vio_status'],
  group: ['casenumber'],
  link: 'casenumber',
  identity: ({ casenumber }) => ({
    signal_type: 'code_violation',
    record_number: published(casenumber),
    parcel_raw: null,
  }),
  outside: inOtherCounty('postalcode'),
  record: (rows) => {
    const [first] = rows;
    const state = optional(first.case_status);
    return {
      street: optional(first.street_address),
      city: KANSAS_CITY.city,
      zip: zip('postalcode', zipOfNumber(first.postalcode)),
      record_state: /^(?:closed|resolved|complied)/iu.test(state ?? '') ? 'closed' : 'open',
      state_raw: state ?? textsOf('vio_status', rows),
      description: textsOf('description', rows),
    };
  },
});

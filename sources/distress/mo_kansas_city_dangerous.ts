/**
 * Kansas City, Missouri: the list of dangerous buildings, about 375 cases, updated once a month. The city orders their
 * repair or demolition: a dangerous building is a condemned one here.
 *
 * Known from public readers: the columns, and "Ongoing Case" and words about asbestos, bids and demolition in the
 * status of cases. No row was recorded. A case on the list is open unless its status says that it was closed.
 */
import { inOtherCounty, KANSAS_CITY, kansasCityTerms, zipOfNumber } from '../families/open_data/kansas_city.ts';
import { socrataTable } from '../families/open_data/socrata.ts';
import { date, optional, published, zip } from '../values.ts';

const HOME = 'https://data.kcmo.org/d/ax3m-jhxx';

export default socrataTable<'distress'>({
  name: 'mo_kansas_city_dangerous',
  family: 'distress',
  title: 'Kansas City dangerous buildings',
  home: HOME,
  county: KANSAS_CITY.county,
  covers: { kinds: ['condemned'], city: KANSAS_CITY.city },
  terms: kansasCityTerms(HOME),
  everyDays: 7,
  expect: {
    minRows: 3,
    maxRejectShare: 0.05,
    uncountedRejects: ['other_county'],
    maxDropShare: 0.4,
    joins: { address: 0.7, zip: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 180 },
  },
  portal: KANSAS_CITY.portal,
  table: 'ax3m-jhxx',
  columns: ['casenumber', 'address', 'zip_code', 'case_opened', 'statusofcase'],
  link: 'casenumber',
  identity: ({ casenumber }) => ({ signal_type: 'condemned', record_number: published(casenumber), parcel_raw: null }),
  outside: inOtherCounty('zip_code'),
  record: ([row]) => ({
    street: optional(row.address),
    city: KANSAS_CITY.city,
    zip: zip('zip_code', zipOfNumber(row.zip_code)),
    filed_on: date('case_opened', row.case_opened),
    record_state: /\b(?:closed|demolished|released)\b/iu.test(optional(row.statusofcase) ?? '') ? 'closed' : 'open',
    state_raw: optional(row.statusofcase),
    description: 'Dangerous building',
  }),
});

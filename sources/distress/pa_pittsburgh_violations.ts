/**
 * Pittsburgh, Pennsylvania: cases of the departments of permits, mobility and environmental services since 2020. A row
 * is one event of a case; the record of a case has its latest status.
 *
 * Known from public readers and recorded values: the columns, and the status Closed. The other words of status are not
 * known: a case with another one is open, and one without is unknown. Rows without a parcel number exist.
 */
import { ALLEGHENY, cityAddress, wprdcTerms } from '../readers/open_data/portals.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { daysOf, latestOf, textsOf } from '../readers/open_data/table.ts';
import { joined, optional, published } from '../values.ts';

const HOME = 'https://data.wprdc.org/dataset/pittsburgh-pli-violations-report';
const CLOSED = /^(?:closed|resolved)/iu;

export default ckanTable<'distress'>({
  name: 'pa_pittsburgh_violations',
  family: 'distress',
  title: 'Pittsburgh code violations',
  home: HOME,
  county: ALLEGHENY.county,
  covers: { kinds: ['code_violation'], city: ALLEGHENY.city },
  terms: wprdcTerms('CC-BY', HOME),
  everyDays: 7,
  expect: {
    minRows: 1,
    maxRejectShare: 0.02,
    maxDropShare: 0.1,
    newest: { column: 'last_activity_on', maxAgeDays: 130 },
  },
  portal: ALLEGHENY.portal,
  resource: '70c06278-92c5-4040-ab28-17671866f81c',
  columns: (
    'casefile_number parcel_id status case_file_type investigation_date violation_code_section investigation_outcome ' +
    'court_date'
  ).split(' '),
  optional: ['address'],
  group: ['casefile_number', 'parcel_id'],
  link: 'casefile_number',
  identity: ({ casefile_number: number, parcel_id: parcel }) => ({
    signal_type: 'code_violation',
    record_number: published(number),
    parcel_raw: published(parcel),
  }),
  record: (rows) => {
    const latest = latestOf('investigation_date', rows);
    const state = optional(latest.status);
    return {
      ...cityAddress(latest.address),
      filed_on: daysOf('investigation_date', rows).at(0) ?? null,
      last_activity_on: daysOf('investigation_date', rows).at(-1) ?? null,
      record_state: state === null ? 'unknown' : CLOSED.test(state) ? 'closed' : 'open',
      state_raw: state,
      description: joined([textsOf('case_file_type', rows), textsOf('violation_code_section', rows)], ': '),
    };
  },
});

/**
 * Pittsburgh, Pennsylvania: condemned buildings. The table has dead-end properties too, whose cases cannot go on; they
 * are not condemned, and are left out. A parcel has a row for each of its cases; its record is one.
 *
 * Recorded rows of 2025 have the day in `date` and the words Active and Inactive in inspection_status; a public reader
 * of 2026 names the day create_date and found only Active. inspection_status is about the inspection: a row with
 * Active is in force; whether one without still is, is not published.
 */
import { ALLEGHENY, cityAddress, wprdcTerms } from '../readers/open_data/portals.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { daysOf, textsOf } from '../readers/open_data/table.ts';
import { optional, published } from '../values.ts';

const HOME = 'https://data.wprdc.org/dataset/condemned-properties';

export default ckanTable<'distress'>({
  name: 'pa_pittsburgh_condemned',
  family: 'distress',
  title: 'Pittsburgh condemned buildings',
  home: HOME,
  county: ALLEGHENY.county,
  covers: { kinds: ['condemned'], city: ALLEGHENY.city },
  terms: wprdcTerms('CC-BY', HOME),
  everyDays: 7,
  expect: { minRows: 1, maxRejectShare: 0.02, uncountedRejects: ['not_condemned'], maxDropShare: 0.3 },
  portal: ALLEGHENY.portal,
  resource: '0a963f26-eb4b-4325-bbbc-3ddf6a871410',
  columns: ['parcel_id', 'owner', 'property_type', 'latest_inspection_result', 'inspection_status'],
  optional: ['address', 'date', 'create_date'],
  group: ['parcel_id', 'property_type'],
  link: 'parcel_id',
  identity: ({ parcel_id: parcel }) => ({
    signal_type: 'condemned',
    record_number: published(parcel),
    parcel_raw: published(parcel),
  }),
  outside: ([{ property_type: type }]) =>
    /^condemned/iu.test(optional(type) ?? '') ? null : ['not_condemned', `property_type is ${String(type)}`],
  record: (rows) => {
    const days = [...daysOf('date', rows), ...daysOf('create_date', rows)].sort();
    const isActive = rows.some((row) => optional(row.inspection_status)?.toLowerCase() === 'active');
    const row = rows.find(({ address }) => cityAddress(address).street !== null) ?? rows[0];
    return {
      ...cityAddress(row.address),
      owner_name: optional(row.owner),
      filed_on: days.at(0) ?? null,
      last_activity_on: days.at(-1) ?? null,
      record_state: isActive ? 'open' : 'unknown',
      state_raw: textsOf('inspection_status', rows),
      description: textsOf('property_type', rows),
    };
  },
});

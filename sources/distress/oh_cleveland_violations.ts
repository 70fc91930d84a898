/**
 * City of Cleveland, Ohio: notices of violation of the building code, one row per complaint and notice.
 *
 * Known from the recorded definition of the table (2026-04-29): all fields below with their types, no geometry, 1,000
 * rows per request. Known from public readers: about 32,700 rows since 2015, parcel numbers of eight digits, addresses
 * as "12 EXAMPLE AVE, CLEVELAND, OH, 44113", and that statuses of ended cases contain the word "closed". The table does
 * not say what was violated.
 *
 * Not read: Property_Maintenance_Investigations, whose rows are complaints that need not be violations, and
 * Violation_Status_History, which repeats each case for each of its steps.
 */
import { joinedSitus } from '../readers/addresses.ts';
import { arcgisDistress } from '../readers/arcgis/adapter.ts';
import { EASTERN, layerDay } from '../readers/arcgis/values.ts';
import { CLEVELAND_LAYERS, clevelandTerms, CUYAHOGA, CUYAHOGA_PARCEL } from '../readers/cuyahoga_parcels.ts';
import { optional } from '../values.ts';

/** Words in the statuses of cases that have ended. */
const ENDED = /\b(?:closed|complied|abated|resolved|dismissed|void(?:ed)?|withdrawn)\b/iu;

export default arcgisDistress({
  name: 'oh_cleveland_violations',
  title: 'City of Cleveland notices of building code violations',
  county: CUYAHOGA,
  layer: `${CLEVELAND_LAYERS}/Complaint_Violation_Notices/FeatureServer/0`,
  where: '1=1',
  covers: { kinds: ['code_violation'], city: 'Cleveland' },
  terms: clevelandTerms(),
  everyDays: 1,
  expect: {
    minRows: 1,
    maxRejectShare: 0.05,
    maxDropShare: 0.5,
    joins: { address: 0.7, zip: 0.5 },
    newest: { column: 'filed_on', maxAgeDays: 180 },
  },
  signalType: 'code_violation',
  record: ['VIOLATION_NUMBER', 'RECORD_ID'],
  parcel: 'PARCEL_NUMBER',
  parcelForm: CUYAHOGA_PARCEL,
  needed: ['FILE_DATE', 'PRIMARY_ADDRESS', 'VIOLATION_APP_STATUS'],
  values: (feature, { readOn }) => {
    const state_raw = optional(feature.VIOLATION_APP_STATUS);
    return {
      ...joinedSitus(feature.PRIMARY_ADDRESS),
      filed_on: layerDay('FILE_DATE', feature.FILE_DATE, { zone: EASTERN, latest: readOn, impossible: 'null' }),
      record_state: state_raw === null ? 'unknown' : ENDED.test(state_raw) ? 'closed' : 'open',
      state_raw,
    };
  },
});

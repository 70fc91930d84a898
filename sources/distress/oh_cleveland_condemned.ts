/**
 * City of Cleveland, Ohio: buildings that are condemned now.
 *
 * Known from the recorded definition of the table (2026-04-29): all fields below with their types, no geometry, 1,000
 * rows per request. Known from public readers: 2,592 rows in October 2026, and the value "Yes" of Active_Condemnation.
 * The table has no case number: a record's number is that of its parcel.
 */
import { joinedSitus } from '../readers/addresses.ts';
import { arcgisDistress } from '../readers/arcgis/adapter.ts';
import { EASTERN, layerDay } from '../readers/arcgis/values.ts';
import { CLEVELAND_LAYERS, clevelandTerms, CUYAHOGA, CUYAHOGA_PARCEL } from '../readers/cuyahoga_parcels.ts';
import { optional } from '../values.ts';

export default arcgisDistress({
  name: 'oh_cleveland_condemned',
  title: 'City of Cleveland condemned buildings',
  county: CUYAHOGA,
  layer: `${CLEVELAND_LAYERS}/Current_Condemnations/FeatureServer/0`,
  where: '1=1',
  covers: { kinds: ['condemned'], city: 'Cleveland' },
  terms: clevelandTerms(),
  everyDays: 1,
  expect: {
    minRows: 1,
    maxRejectShare: 0.05,
    maxDropShare: 0.5,
    joins: { address: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 365 },
  },
  signalType: 'condemned',
  record: ['Parcel_Number', 'DW_Parcel'],
  parcel: ['Parcel_Number', 'DW_Parcel'],
  parcelForm: CUYAHOGA_PARCEL,
  needed: ['Active_Condemnation', 'Address', 'Condemnation_Date'],
  values: (feature, { readOn }) => {
    const state_raw = optional(feature.Active_Condemnation);
    return {
      ...joinedSitus(feature.Address),
      filed_on: layerDay('Condemnation_Date', feature.Condemnation_Date, {
        zone: EASTERN,
        latest: readOn,
        impossible: 'null',
      }),
      record_state: state_raw === null ? 'unknown' : /^(?:y|yes|true|active|1)$/iu.test(state_raw) ? 'open' : 'closed',
      state_raw,
    };
  },
});

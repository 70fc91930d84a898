/**
 * City of Columbus, Ohio: code enforcement cases that are not closed.
 *
 * Known from public readers: 318,004 cases, 1,000 per request; parcel numbers of nine digits without dashes; the status
 * "Closed" of ended cases; types such as "Housing Code Inspection", "Vacant Structure Inspection", "Environmental
 * Nuisance", "Community Noise" and "Zoning Code Inspection"; dates of conditions in Eastern time, and refused as bare
 * text. No row of this layer was recorded. It has no city.
 */
import { arcgisDistress } from '../readers/arcgis/adapter.ts';
import { EASTERN, inForceOrTouched, layerDay, otherCode } from '../readers/arcgis/values.ts';
import { joined, line, optional, zip } from '../values.ts';

export default arcgisDistress({
  name: 'oh_columbus_code',
  title: 'City of Columbus code enforcement cases',
  county: { fips: '39049', name: 'Franklin County', state: 'OH' },
  layer: 'https://maps2.columbus.gov/arcgis/rest/services/Schemas/BuildingZoning/MapServer/23',
  where: inForceOrTouched("B1_APPL_STATUS <> 'Closed'", 'INSP_LAST_DATE'),
  covers: { kinds: ['code_violation'], city: 'Columbus' },
  terms: {
    basis: 'open_data',
    note: 'Published by the city under CC0, as public readers state; the license page was not obtained.',
    url: 'https://opendata.columbus.gov/',
  },
  everyDays: 1,
  expect: {
    minRows: 1,
    maxRejectShare: 0.05,
    maxDropShare: 0.5,
    joins: { address: 0.7 },
    newest: { column: 'filed_on', maxAgeDays: 180 },
  },
  signalType: 'code_violation',
  record: 'B1_ALT_ID',
  parcel: 'B1_PARCEL_NBR',
  parcelForm: /^\d{9}$|^\d{3}-\d{6}(?:-\d{2})?$/u,
  needed: ['SITE_ADDRESS', 'B1_PER_TYPE', 'B1_FILE_DD', 'B1_APPL_STATUS', 'INSP_LAST_DATE'],
  optional: ['B1_PER_SUB_TYPE', 'B1_SITUS_ZIP'],
  outOfScope: (feature) => otherCode('B1_PER_TYPE', feature.B1_PER_TYPE),
  values: (feature, { readOn }) => {
    const past = { zone: EASTERN, latest: readOn, impossible: 'null' } as const;
    const state_raw = optional(feature.B1_APPL_STATUS);
    return {
      street: line(feature.SITE_ADDRESS),
      city: 'Columbus',
      zip: zip('B1_SITUS_ZIP', feature.B1_SITUS_ZIP),
      filed_on: layerDay('B1_FILE_DD', feature.B1_FILE_DD, past),
      last_activity_on: layerDay('INSP_LAST_DATE', feature.INSP_LAST_DATE, past),
      record_state: state_raw === null ? 'unknown' : /^closed\b/iu.test(state_raw) ? 'closed' : 'open',
      state_raw,
      description: joined([feature.B1_PER_TYPE, feature.B1_PER_SUB_TYPE], ': '),
    };
  },
});

/**
 * Hamilton County, Ohio: addresses of the delinquency list's parcels, from the CAGIS parcel layer. Only delinquent
 * parcels are read, a twentieth of the county's 350,000. A parcel that the layer does not yet mark as delinquent has no
 * address until it does.
 */
import { arcgisAddresses } from '../../families/arcgis_parcels.ts';
import { joined, money, optional } from '../../values.ts';

/** Whether CAGIS marks a parcel as deleted. The flag has been seen as a word, a letter and a number. */
const isSet = (flag: unknown): boolean => /^(?:y|yes|t|true|1)$/iu.test(optional(flag) ?? '');

/** "0" means no house number. */
const houseNumber = (value: unknown): string | null => ((text) => (text === '0' ? null : text))(optional(value));

export default arcgisAddresses({
  name: 'oh_hamilton_parcels',
  title: 'Hamilton County parcel addresses (CAGIS parcel layer)',
  county: { fips: '39061', name: 'Hamilton County', state: 'OH' },
  layer: 'https://cagisonline.hamilton-co.org/arcgis/rest/services/Countywide_Layers/Parcels/FeatureServer/0',
  where: 'DELQ_TAXES > 0',
  terms: {
    basis: 'public_record',
    note:
      'The auditor says that the data are public records but does not endorse commercial use; ' +
      'the terms of the map server were not obtained.',
  },
  everyDays: 1,
  politeness: { minIntervalMs: 2000, concurrency: 1 },
  expect: { minRows: 50, maxRejectShare: 0.05, maxDropShare: 0.3 },
  parcel: 'PARCELID',
  needed: ['PARCELID', 'ADDRNO', 'ADDRST', 'ADDRSF', 'MKT_TOTAL_VAL', 'CLASS', 'PAR_DELETED'],
  optional: ['LOC_ST_DIR'],
  gone: (a) =>
    isSet(a.PAR_DELETED) ? `PAR_DELETED is ${JSON.stringify(a.PAR_DELETED)}: the parcel no longer exists` : null,
  values: (a) => ({
    street: optional(a.ADDRST) === null ? null : joined([houseNumber(a.ADDRNO), a.LOC_ST_DIR, a.ADDRST, a.ADDRSF]),
    city: null,
    zip: null,
    county_value: money('MKT_TOTAL_VAL', a.MKT_TOTAL_VAL, { zeroIsUnknown: true }),
    property_class: optional(a.CLASS),
  }),
});

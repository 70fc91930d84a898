/**
 * Marion County, Indiana (Indianapolis): the county's parcel layer with the assessor's values. Indiana assesses at the
 * market value in use (50 IAC 2.4-1-2), so the assessed value stands for the market value. The layer has no sale:
 * MODDATE is the day of any change and is not read.
 *
 * Known from public readers: about 320,000 parcels, updated every night, state parcel numbers in groups of
 * 2-2-2-3-3.3-3, and the fields below. No row was recorded.
 */
import { postcode } from '../readers/addresses.ts';
import { arcgisAddresses } from '../readers/arcgis/adapter.ts';
import { cents, decimal, joined, optional, zip } from '../values.ts';

export default arcgisAddresses({
  name: 'in_marion_parcels',
  title: 'Marion County, Indiana, parcel layer',
  county: { fips: '18097', name: 'Marion County', state: 'IN' },
  layer: 'https://gis.indy.gov/server/rest/services/MapIndy/MapIndyProperty/MapServer/10',
  where: '1=1',
  covers: { kinds: ['parcel_roll'] },
  terms: {
    basis: 'public_record',
    note:
      'The city and county publish the layer for their property map and on their open data portal. Terms for the ' +
      'layer were not found.',
    url: 'https://data.indy.gov',
  },
  everyDays: 7,
  expect: { minRows: 5, maxRejectShare: 0.02, maxDropShare: 0.2, joins: { address: 0.7, zip: 0.7 } },
  parcel: 'STATEPARCELNUMBER',
  parcelForm: /^\d{2}-\d{2}-\d{2}-\d{3}-\d{3}\.\d{3}-\d{3}$/u,
  needed: ['STNUMBER', 'PRE_DIR', 'FULL_STNAME', 'CITY', 'ZIPCODE', 'FULLOWNERNAME', 'ASSESSORYEAR_TOTALAV'],
  optional: ['OWNERADDRESS', 'OWNERCITY', 'OWNERSTATE', 'OWNERZIP', 'PROPERTY_CLASS'],
  values: (feature) => {
    const value = cents('ASSESSORYEAR_TOTALAV', feature.ASSESSORYEAR_TOTALAV, { zeroIsUnknown: true });
    return {
      is_lot: false,
      street: joined([feature.STNUMBER, feature.PRE_DIR, feature.FULL_STNAME]),
      city: optional(feature.CITY),
      city_is_municipality: false,
      zip: zip('ZIPCODE', feature.ZIPCODE),
      owner_name: optional(feature.FULLOWNERNAME),
      mail_street: optional(feature.OWNERADDRESS),
      mail_city: optional(feature.OWNERCITY),
      mail_state: optional(feature.OWNERSTATE),
      mail_zip: postcode(feature.OWNERZIP),
      county_value: value === null ? null : decimal(value),
      property_class: optional(feature.PROPERTY_CLASS),
    };
  },
});

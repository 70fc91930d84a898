/**
 * City of St. Louis, Missouri: buildings in the city's register of vacant buildings, from the Assessor's parcel layer.
 * VacBldgYear is the year of registration. A parcel whose building is gone has the flag VacantLot: its record is
 * closed. Parcels of the land bank (LRA) are read with their owner: they are vacant, but nobody sells them.
 */
import { arcgisDistress } from '../readers/arcgis/adapter.ts';
import {
  ownerOf,
  propertyClassOf,
  situsOf,
  ST_LOUIS,
  ST_LOUIS_FIELDS,
  ST_LOUIS_OWNER_FIELDS,
} from '../readers/st_louis_parcels.ts';
import { optional } from '../values.ts';

export default arcgisDistress({
  ...ST_LOUIS,
  name: 'mo_st_louis_vacant',
  title: "City of St. Louis vacant buildings (Assessor's parcel layer)",
  where: 'VacBldgYear > 0',
  covers: { kinds: ['vacant_building'] },
  everyDays: 7,
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.5, joins: { address: 0.7, zip: 0.7 } },
  signalType: 'vacant_building',
  record: 'ParcelId',
  needed: ['VacBldgYear', 'VacantLot', ...ST_LOUIS_FIELDS, ...ST_LOUIS_OWNER_FIELDS],
  values: (feature) => ({
    ...situsOf(feature),
    ...ownerOf(feature),
    record_state: /^(?:1|true|yes|y)$/iu.test(optional(feature.VacantLot) ?? '') ? 'closed' : 'open',
    description: `VacBldgYear ${String(feature.VacBldgYear)}`,
    property_class: propertyClassOf(feature),
  }),
});

/**
 * City of St. Louis, Missouri: the Assessor's roll. AsdTotal is the assessed value: 19 % of the market value of a
 * residential parcel, 32 % of a commercial and 12 % of an agricultural one (RSMo 137.115). The market value follows for
 * a parcel of one class; that of a mixed or exempt parcel is not known. The sale is the last residential one; the layer
 * has no code for its validity. BillTaxAmt is the bill of the newest year; no recorded row confirms that the layer has
 * it.
 */
import { arcgisAddresses } from '../readers/arcgis/adapter.ts';
import { builtYear, CENTRAL, lastSale, layerDay, transferPrice } from '../readers/arcgis/values.ts';
import {
  marketValueOf,
  ownerOf,
  propertyClassOf,
  situsOf,
  ST_LOUIS,
  ST_LOUIS_FIELDS,
  ST_LOUIS_OWNER_FIELDS,
} from '../readers/st_louis_parcels.ts';
import { integer, money } from '../values.ts';

export default arcgisAddresses({
  ...ST_LOUIS,
  name: 'mo_st_louis_parcels',
  title: "City of St. Louis parcel roll (Assessor's parcel layer)",
  where: '1=1',
  covers: { kinds: ['parcel_roll'] },
  everyDays: 7,
  expect: { minRows: 5, maxRejectShare: 0.02, maxDropShare: 0.2, joins: { address: 0.7, zip: 0.7 } },
  needed: [
    'AsdTotal',
    'ResSaleDate',
    'ResSalePrice',
    'FirstYearBuilt',
    'NbrOfUnits',
    ...ST_LOUIS_FIELDS,
    ...ST_LOUIS_OWNER_FIELDS,
  ],
  optional: ['BillTaxAmt'],
  values: (feature, { readOn }) => ({
    is_lot: false,
    ...situsOf(feature),
    city_is_municipality: true,
    ...ownerOf(feature),
    county_value: marketValueOf(feature),
    annual_taxes: money('BillTaxAmt', feature.BillTaxAmt, { zeroIsUnknown: true }),
    ...lastSale(
      layerDay('ResSaleDate', feature.ResSaleDate, { zone: CENTRAL, latest: readOn, impossible: 'null' }),
      transferPrice('ResSalePrice', feature.ResSalePrice),
    ),
    year_built: builtYear(feature.FirstYearBuilt),
    units: integer('NbrOfUnits', feature.NbrOfUnits, { zeroIsUnknown: true }),
    property_class: propertyClassOf(feature),
  }),
});

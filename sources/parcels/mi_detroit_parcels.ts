/**
 * City of Detroit, Michigan: the city's parcel file. The assessed value is half of the market value (MCL 211.27a), so
 * the market value is twice it. The taxable value is the same half under a limit on its growth, which ends with a sale.
 * total_square_footage is that of the lot and is not read.
 *
 * Known from public readers: 377,940 parcels, addresses without a street suffix ("13335 EXAMPLE"), sale_date as a day,
 * and the fields below. No row was recorded. The layer has no code for the validity of a sale.
 */
import { postcode } from '../readers/addresses.ts';
import { arcgisAddresses } from '../readers/arcgis/adapter.ts';
import { builtYear, EASTERN, lastSale, layerDay, transferPrice } from '../readers/arcgis/values.ts';
import { DETROIT_LAYERS, DETROIT_PARCEL, DETROIT_TERMS, WAYNE } from '../readers/detroit.ts';
import { cents, decimal, divide, joined, optional, zip } from '../values.ts';

/** Share of the market value that is assessed. */
const ASSESSED_SHARE = '0.5';

export default arcgisAddresses({
  name: 'mi_detroit_parcels',
  title: 'City of Detroit parcel file',
  county: WAYNE,
  layer: `${DETROIT_LAYERS}/parcel_file_current/FeatureServer/0`,
  where: '1=1',
  covers: { kinds: ['parcel_roll'], city: 'Detroit' },
  terms: DETROIT_TERMS,
  everyDays: 7,
  expect: { minRows: 5, maxRejectShare: 0.02, maxDropShare: 0.2, joins: { address: 0.7, zip: 0.7 } },
  parcel: 'parcel_id',
  parcelForm: DETROIT_PARCEL,
  needed: ['address', 'zip_code', 'taxpayer_1', 'amt_assessed_value', 'sale_date', 'amt_sale_price'],
  optional: (
    'amt_taxable_value taxpayer_2 taxpayer_address taxpayer_city taxpayer_state taxpayer_zip_code ' +
    'property_class_description year_built'
  ).split(' '),
  values: (feature, { readOn }) => {
    const atMarket = (name: string): string | null => {
      const half = cents(name, feature[name], { zeroIsUnknown: true });
      return half === null ? null : decimal(divide(half, ASSESSED_SHARE));
    };
    return {
      is_lot: false,
      street: optional(feature.address),
      city: 'Detroit',
      city_is_municipality: true,
      zip: zip('zip_code', feature.zip_code),
      owner_name: joined([feature.taxpayer_1, feature.taxpayer_2], ' & '),
      mail_street: optional(feature.taxpayer_address),
      mail_city: optional(feature.taxpayer_city),
      mail_state: optional(feature.taxpayer_state),
      mail_zip: postcode(feature.taxpayer_zip_code),
      county_value: atMarket('amt_assessed_value'),
      taxed_value: atMarket('amt_taxable_value'),
      ...lastSale(
        layerDay('sale_date', feature.sale_date, { zone: EASTERN, latest: readOn, impossible: 'null' }),
        transferPrice('amt_sale_price', feature.amt_sale_price),
      ),
      year_built: builtYear(feature.year_built),
      property_class: optional(feature.property_class_description),
    };
  },
});

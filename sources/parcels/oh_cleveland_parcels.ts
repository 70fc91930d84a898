/**
 * City of Cleveland, Ohio: the county's parcel roll as the city publishes it with its own facts. The layer calls itself
 * a public draft and has the parcels of the city only.
 *
 * Known from the recorded definition of the layer (2026-04-29): all fields below with their types, 2,000 features per
 * request, and dates in UTC. Not confirmed by a recorded row: the form of the years built, which are text fields, and
 * whether parcelpin is always the number of parcel_id.
 *
 * The roll's debts are not read: `oh_cuyahoga_tax` reads them from the county. net_tax_total is not read, because no
 * source says which charges it contains. The layer has no code for the validity of a sale.
 */
import { arcgisAddresses } from '../readers/arcgis/adapter.ts';
import { builtYear, EASTERN, lastSale, layerDay, parcelPoint, transferPrice } from '../readers/arcgis/values.ts';
import {
  CLEVELAND_LAYERS,
  clevelandTerms,
  CUYAHOGA,
  CUYAHOGA_PARCEL,
  mailingOf,
  ownerOf,
  propertyClassOf,
  situsOf,
} from '../readers/cuyahoga_parcels.ts';
import { integer, money } from '../values.ts';

export default arcgisAddresses({
  name: 'oh_cleveland_parcels',
  title: 'City of Cleveland parcel roll (Parcel Analytics, public draft)',
  county: CUYAHOGA,
  layer: `${CLEVELAND_LAYERS}/Parcel_Analytics_(PUBLIC_DRAFT_)/FeatureServer/0`,
  where: '1=1',
  covers: { kinds: ['parcel_roll'], city: 'Cleveland' },
  terms: clevelandTerms(' as a draft, which may change or end without notice'),
  everyDays: 7,
  expect: {
    minRows: 5,
    maxRejectShare: 0.02,
    maxDropShare: 0.2,
    joins: { address: 0.7 },
    newest: { column: 'last_sale_date', maxAgeDays: 365 },
  },
  parcel: ['parcel_id', 'parcelpin'],
  parcelForm: CUYAHOGA_PARCEL,
  needed: (
    'parcel_owner par_addr_all parcel_city parcel_zip mail_addr_street mail_city mail_state mail_zip ' +
    'last_transfer_date last_sales_amount tax_market_total'
  ).split(' '),
  optional: (
    'parcel_unit second_owner mail_unit_no tax_luc_description prop_class_desc residentialYearBuilt ' +
    'commercialYearBuilt com_living_units Latitude Longitude'
  ).split(' '),
  values: (feature, { readOn }) => ({
    is_lot: false,
    ...situsOf(feature),
    city_is_municipality: false,
    owner_name: ownerOf(feature),
    ...mailingOf(feature),
    county_value: money('tax_market_total', feature.tax_market_total, { zeroIsUnknown: true }),
    ...lastSale(
      layerDay('last_transfer_date', feature.last_transfer_date, { zone: EASTERN, latest: readOn, impossible: 'null' }),
      transferPrice('last_sales_amount', feature.last_sales_amount),
    ),
    year_built: builtYear(feature.residentialYearBuilt) ?? builtYear(feature.commercialYearBuilt),
    units: integer('com_living_units', feature.com_living_units, { zeroIsUnknown: true }),
    property_class: propertyClassOf(feature),
    ...parcelPoint(feature.Latitude, feature.Longitude),
  }),
});

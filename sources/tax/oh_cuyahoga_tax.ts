/**
 * Cuyahoga County, Ohio: parcels with a net delinquent balance, from the Fiscal Officer's parcel layer.
 *
 * Known from recorded rows: `par_addr_all` is a whole address, "7 EXAMPLE AVE, BROOKLYN, OH, 44144"; parcel_id has
 * eight digits without dashes, with a letter after them for a condominium; a parcel may be on several identical rows,
 * one for each of its shapes. The layer also has a field parcelpin; no recorded row shows whether it is always the same
 * number.
 * Not confirmed by a recorded row: values of parcel_unit, and the names of the owner's and the market value's fields.
 */
import { arcgisParcels } from '../readers/arcgis/adapter.ts';
import { mailingOf, ownerOf, propertyClassOf, situsOf } from '../readers/cuyahoga_parcels.ts';
import { money, refuse } from '../values.ts';

export default arcgisParcels({
  name: 'oh_cuyahoga_tax',
  title: "Cuyahoga County tax delinquency (Fiscal Officer's parcel layer)",
  county: { fips: '39035', name: 'Cuyahoga County', state: 'OH' },
  layer: 'https://gis.cuyahogacounty.us/server/rest/services/CCFO/EPV_Prod/FeatureServer/2',
  where: 'total_net_delq_balance > 0',
  terms: {
    basis: 'public_record',
    note: "Tax records are public in Ohio; the terms of the county's map server were not obtained.",
  },
  everyDays: 1,
  minIntervalMs: 2000,
  expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3, joins: { address: 0.7, zip: 0.7 } },
  parcel: 'parcel_id',
  needed: (
    'parcel_owner par_addr_all parcel_city parcel_zip mail_addr_street mail_city mail_state mail_zip ' +
    'total_net_delq_balance tax_market_total'
  ).split(' '),
  optional: ['parcel_unit', 'second_owner', 'mail_unit_no', 'tax_luc_description', 'prop_class_desc'],
  values: (feature) => ({
    owner_name: ownerOf(feature),
    ...situsOf(feature),
    ...mailingOf(feature),
    amount:
      money('total_net_delq_balance', feature.total_net_delq_balance) ??
      refuse('blank_amount', 'total_net_delq_balance is blank'),
    amount_basis: 'net',
    county_value: money('tax_market_total', feature.tax_market_total, { zeroIsUnknown: true }),
    property_class: propertyClassOf(feature),
  }),
});

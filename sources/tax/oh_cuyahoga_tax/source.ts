/** Cuyahoga County, Ohio: parcels with a net delinquent balance, from the Fiscal Officer's parcel layer. */
import { postcode } from '../../families/addresses.ts';
import { arcgisParcels } from '../../families/arcgis_parcels.ts';
import { joined, money, optional, refuse, zip } from '../../values.ts';

export default arcgisParcels({
  name: 'oh_cuyahoga_tax',
  title: "Cuyahoga County tax delinquency (Fiscal Officer's parcel layer)",
  county: { fips: '39035', name: 'Cuyahoga County', state: 'OH' },
  layer: 'https://gis.cuyahogacounty.us/server/rest/services/CCFO/EPV_Prod/FeatureServer/2',
  where: 'total_net_delq_balance > 0',
  terms: {
    basis: 'public_record',
    note:
      "Tax records are public in Ohio; the terms of the county's map server were not obtained, " +
      'so the operator should read them.',
  },
  everyDays: 1,
  politeness: { minIntervalMs: 2000, concurrency: 1 },
  expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3 },
  parcel: 'parcelpin',
  needed: [
    'parcelpin',
    'parcel_owner',
    'par_addr_all',
    'parcel_city',
    'parcel_zip',
    'mail_addr_street',
    'mail_city',
    'mail_state',
    'mail_zip',
    'total_net_delq_balance',
    'tax_market_total',
  ],
  optional: ['second_owner', 'mail_unit_no', 'tax_luc_description', 'prop_class_desc'],
  values: (a) => ({
    owner_name: joined([a.parcel_owner, a.second_owner], ' & '),
    street: optional(a.par_addr_all),
    city: optional(a.parcel_city),
    zip: zip('parcel_zip', a.parcel_zip),
    mail_street: joined([a.mail_addr_street, a.mail_unit_no]),
    mail_city: optional(a.mail_city),
    mail_state: optional(a.mail_state),
    mail_zip: postcode(a.mail_zip),
    amount:
      money('total_net_delq_balance', a.total_net_delq_balance) ??
      refuse('blank_amount', 'total_net_delq_balance is blank'),
    years_delinquent: null,
    certified_year: null,
    county_value: money('tax_market_total', a.tax_market_total, { zeroIsUnknown: true }),
    property_class: optional(a.tax_luc_description) ?? optional(a.prop_class_desc),
  }),
});

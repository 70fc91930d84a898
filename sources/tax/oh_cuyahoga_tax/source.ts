/**
 * Cuyahoga County, Ohio: parcels with a net delinquent balance, from the Fiscal Officer's parcel layer.
 *
 * Known from recorded rows: `par_addr_all` is a whole address, "7 EXAMPLE AVE, BROOKLYN, OH, 44144"; parcel_id has
 * eight digits without dashes, with a letter after them for a condominium; a parcel may be on several identical rows,
 * one for each of its shapes. The layer also has a field parcelpin; no recorded row shows whether it is always the same
 * number.
 * Not confirmed by a recorded row: values of parcel_unit, and the names of the owner's and the market value's fields.
 */
import { joinedSitus, postcode, type Situs } from '../../families/addresses.ts';
import { arcgisParcels, type Attributes } from '../../families/arcgis/adapter.ts';
import { joined, line, money, optional, refuse, zip } from '../../values.ts';

/** Address of the property. The layer's own fields for city and ZIP are more reliable than the joined text. */
function situsOf(a: Attributes): Situs {
  const whole = joinedSitus(a.par_addr_all);
  // A street without a suffix is printed as "ERIEVIEW PLAZA NO SUFFIX".
  const street = line(whole.street?.replace(/\s+NO SUFFIX\b/giu, ''));
  const unit = optional(a.parcel_unit);
  return {
    street: street === null || unit === null ? street : `${street} ${/^\w+$/u.test(unit) ? `UNIT ${unit}` : unit}`,
    city: optional(a.parcel_city) ?? whole.city,
    zip: zip('parcel_zip', a.parcel_zip) ?? whole.zip,
  };
}

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
  expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3, joins: { address: 0.7, zip: 0.7 } },
  parcel: 'parcel_id',
  needed: [
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
  optional: ['parcel_unit', 'second_owner', 'mail_unit_no', 'tax_luc_description', 'prop_class_desc'],
  values: (a) => ({
    owner_name: joined([a.parcel_owner, a.second_owner], ' & '),
    ...situsOf(a),
    mail_street: joined([a.mail_addr_street, a.mail_unit_no]),
    mail_city: optional(a.mail_city),
    mail_state: optional(a.mail_state),
    mail_zip: postcode(a.mail_zip),
    amount:
      money('total_net_delq_balance', a.total_net_delq_balance) ??
      refuse('blank_amount', 'total_net_delq_balance is blank'),
    amount_basis: 'net',
    county_value: money('tax_market_total', a.tax_market_total, { zeroIsUnknown: true }),
    property_class: optional(a.tax_luc_description) ?? optional(a.prop_class_desc),
  }),
});

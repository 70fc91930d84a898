import { defineRecord, flag, money, text } from '../../lib/record.ts';

/** The address of a parcel on a county's map or tax roll. Debts are not read from it. */
export const Parcel = defineRecord(
  'parcel',
  "One row per parcel of a county's parcel layer or tax roll, for lists that lack addresses, cities or ZIPs.",
  ['county_fips', 'parcel_raw'],
  {
    county_fips: text('Five-digit county FIPS.'),
    county: text('County name and state, such as "Hamilton County, OH".'),
    parcel_raw: text('Parcel number exactly as published.'),
    is_lot: flag(
      'Whether parcel_raw is only the start of a number, shared by all parcels of a lot. The address then belongs to ' +
        'the one listed parcel whose number starts so.',
    ),
    street: text('Street address of the property (situs).', { absent: 'the layer has none for the parcel' }),
    city: text('City of the property.', { absent: 'not published' }),
    city_is_municipality: flag(
      'Whether city is the city or village that taxes the parcel. Mail for the parcel may name another city.',
    ),
    zip: text('Five-digit ZIP of the property.', { absent: 'not published' }),
    county_value: money("Market value on the county's roll.", { absent: 'not published' }),
    annual_taxes: money('Property tax billed for one year, without delinquent amounts.', { absent: 'not published' }),
    property_class: text("Property class in the county's own words or code.", { absent: 'not published' }),
  },
);

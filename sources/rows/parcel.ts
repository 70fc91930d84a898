import { date, defineRecord, degrees, flag, integer, money, oneOf, text } from '../../lib/record.ts';
import { LATITUDE, LONGITUDE, UP_TO_A_BILLION, UP_TO_TEN_BILLION, YEAR } from '../ranges.ts';

const NO_POINT = 'the layer publishes no point of the parcel, or one outside the United States';

/** A parcel on a county's map or assessment roll: address, value and last sale. Debts are not read from it. */
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
    zip: text('Five-digit ZIP.', { absent: 'not published' }),
    county_value: money("Market value on the county's roll. Models read less than a dollar as not published.", {
      absent: 'not published',
      range: UP_TO_TEN_BILLION,
    }),
    taxed_value: money('The part of county_value that is taxed, where a limit on its growth keeps it lower.', {
      absent: 'not published',
      range: UP_TO_TEN_BILLION,
    }),
    annual_taxes: money('Property tax billed for one year, without delinquent amounts.', {
      absent: 'not published',
      range: UP_TO_A_BILLION,
    }),
    owner_name: text('Owner of record.', { personal: true, absent: 'not published' }),
    mail_street: text("Owner's mailing street.", { personal: true, absent: 'not published' }),
    mail_city: text("Owner's mailing city.", { absent: 'not published' }),
    mail_state: text("Owner's mailing state.", { absent: 'not published' }),
    mail_zip: text("Owner's mailing ZIP.", { absent: 'not published' }),
    last_sale_date: date('Day of the last transfer.', { absent: 'not published' }),
    last_sale_price: money('Price of the last transfer.', {
      absent: 'not published, or published as a token amount such as 0 or 1',
      range: UP_TO_TEN_BILLION,
    }),
    last_sale_basis: oneOf(
      ['market', 'not_market', 'unknown'],
      'Whether the roll says that the last transfer was a sale at market: by its validity code, or not at all.',
      { absent: 'last_sale_date and last_sale_price are null' },
    ),
    year_built: integer('Year the building was built.', { absent: 'not published', unit: 'year', range: YEAR }),
    units: integer('Dwelling units.', { absent: 'not published', unit: 'units' }),
    property_class: text("The county's own word or code for the property.", { absent: 'not published' }),
    latitude: degrees('Latitude of the parcel.', { absent: NO_POINT, range: LATITUDE }),
    longitude: degrees('Longitude of the parcel.', { absent: NO_POINT, range: LONGITUDE }),
  },
);

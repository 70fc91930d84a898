import { because, date, defineRecord, integer, money, oneOf, percent, text } from '../../lib/record.ts';
import { LISTED_UNITS, LIST_PRICE, PERCENT, TAX_OF_LISTING, UNITS_OF_MIX, UP_TO_A_BILLION, YEAR } from '../ranges.ts';

const MIX_UNKNOWN = because({
  code: 'unit_mix_not_stated',
  about: 'the site does not state the unit mix in a form that is read',
});
const NOT_STATED = because({ code: 'not_stated_by_site', about: 'the site does not state it' });

/** Units with so many bedrooms. */
const unitsWith = (bedrooms: string) =>
  integer(`Units with ${bedrooms}, as stated.`, {
    absent: MIX_UNKNOWN,
    unit: 'units',
    range: UNITS_OF_MIX,
  });

/** A for-sale listing as one site shows it. */
export const Listing = defineRecord(
  'listing',
  'One row per listing of a site on the day it was read.',
  ['listing_id'],
  {
    listing_id: text("The site's own identifier of the listing."),
    listing_url: text('Page of the listing, or its record in an MLS feed, which needs a license.'),
    street: text('Street line as published, unit included.', {
      absent: because({ code: 'hidden_by_source', about: 'the site hides it' }),
    }),
    city: text('City as published.'),
    state: text('Two-letter state.'),
    zip: text('Five-digit ZIP.'),
    list_price: money('Asking price.', {
      absent: because({ code: 'price_missing', about: 'the site publishes no price ("call for price")' }),
      range: LIST_PRICE,
    }),
    units: integer('Dwelling units.', {
      absent: because({ code: 'units_missing', about: 'the site does not state it, or states zero' }),
      unit: 'units',
      range: LISTED_UNITS,
    }),
    units_0br: unitsWith('no bedroom'),
    units_1br: unitsWith('one bedroom'),
    units_2br: unitsWith('two bedrooms'),
    units_3br: unitsWith('three bedrooms'),
    units_4br: unitsWith('four bedrooms or more'),
    cap_rate: percent('Advertised cap rate.', {
      absent: because({ code: 'not_advertised', about: 'none is advertised' }),
      range: PERCENT,
    }),
    noi: money('Net operating income as stated by the broker, per year.', {
      absent: NOT_STATED,
      range: UP_TO_A_BILLION,
    }),
    annual_taxes: money('Property tax of one year, as the listing states it.', {
      absent: NOT_STATED,
      range: TAX_OF_LISTING,
    }),
    year_built: integer('Year of construction.', { absent: NOT_STATED, unit: 'year', range: YEAR }),
    property_type: text("Property type in the site's words.", { absent: NOT_STATED }),
    listed_on: date('Day of posting, according to the site.', { absent: NOT_STATED }),
    unread_fields: text('Optional fields that the listing states in a form that is not read.', {
      absent: because({ code: 'all_read', about: 'every stated field was read' }),
    }),
    off_market_on: date('Day on which it was sold or taken off the market, as the site dates it.', {
      absent: NOT_STATED,
    }),
    availability: oneOf(['for_sale', 'under_contract', 'sold', 'unknown'], 'Availability as the site states it.'),
  },
);

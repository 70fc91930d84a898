/** The fields of a deal on the identity and state of its listings. */
import { z } from 'zod';
import { date, flag, instant, integer, json, money, oneOf, text } from '../../lib/record.ts';
import { addressParts, CORRECTED, readFrom } from '../fields.ts';
import {
  LISTED,
  NO_ADDRESS_KEY,
  NO_PRICE,
  NO_PRICE_OR_UNITS,
  NO_UNIT,
  NO_NUMBER,
  NO_UNIT_MIX,
  ALL_READ,
  notStated,
  NOT_STATED,
} from '../absence/deals.ts';
import { INSIDE } from '../absence/inside.ts';

const nullableText = z.string().nullable();
const LISTING_STATUSES = ['active', 'under_contract', 'sold', 'delisted'] as const;

const AlsoListed = z.strictObject({
  source: z.string(),
  listing_id: z.string(),
  listing_url: z.string(),
  listing_status: z.enum(LISTING_STATUSES),
  list_price: nullableText,
  units: z.int().nullable(),
  cap_rate: nullableText,
  noi: nullableText,
  first_seen: z.string(),
  last_seen: z.string(),
});

/** Units by bedrooms; "4br" is four or more. */
const UnitMix = z.strictObject({ '0br': z.int(), '1br': z.int(), '2br': z.int(), '3br': z.int(), '4br': z.int() });

export const listing = {
  ...addressParts(NO_ADDRESS_KEY, NO_UNIT, NO_NUMBER),
  address_status: oneOf(
    ['available', 'hidden_by_source', 'no_house_number'],
    'Whether the street address can match county records.',
  ),
  listing_id: text("The site's own identifier."),
  listing_status: oneOf(LISTING_STATUSES, 'active: for sale on the last good read; delisted: no longer on the site.'),
  delisted_on: date('Day of the run that found the listing gone.', { absent: LISTED }),
  relisted: flag('True if the property left this site and returned within the declared days.'),
  also_listed: json(z.array(AlsoListed), 'Other listings of the same property.', {
    follows: 'reads',
    inside: INSIDE.also_listed,
  }),
  property_type: text("Property type in the site's words.", { absent: notStated('property_type') }),
  unit_mix_stated: json(UnitMix, 'Units by bedrooms, as listed; 4br is four or more. The sum may differ from units.', {
    absent: NO_UNIT_MIX,
  }),
  annual_taxes: money('Property tax of one year, as the listing states it.', { absent: NOT_STATED }),
  year_built: integer('Year of construction.', { absent: notStated('year_built'), unit: 'year' }),
  listed_on: date('Day of posting, according to the site.', { absent: notStated('listed_on') }),
  unread_fields: text('Optional fields that the listing states in a form that is not read.', {
    absent: ALL_READ,
  }),
  corrected: CORRECTED,
  first_seen: instant('First read of a listing of the property.'),
  last_seen: instant('Last read of any listing of the property.', { follows: 'reads' }),
  first_price: money('First asking price read of the main listing.', { absent: NO_PRICE }),
  price_per_unit: money('list_price over units.', { absent: NO_PRICE_OR_UNITS }),
  source_url: readFrom.source_url,
  observed_at: instant('When the page was read.', { follows: 'reads' }),
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,
};

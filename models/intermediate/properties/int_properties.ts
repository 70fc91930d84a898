import { date, defineRecord, flag, instant } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';
import { ListingVersion } from '../../marts/listing_history.ts';

export default defineModel({
  record: defineRecord(
    'int_property',
    'One row per property: its main listing, its other listings, and their history in this feed.',
    ['id'],
    {
      ...fieldsOf(Deal, [
        'id',
        'address',
        'address_status',
        'address_key',
        'street_key',
        'house_low',
        'house_high',
        'unit_key',
        'city',
        'state',
        'zip',
      ]),
      ...fieldsOf(Deal, [
        'source',
        'listing_id',
        'listing_url',
        'listing_status',
        'delisted_on',
        'relisted',
        'also_listed',
      ]),
      ...fieldsOf(ListingVersion, [
        'list_price',
        'units',
        'units_0br',
        'units_1br',
        'units_2br',
        'units_3br',
        'units_4br',
        'cap_rate',
        'noi',
        'annual_taxes',
        'year_built',
        'property_type',
        'listed_on',
      ]),
      is_income_property: flag('False if the site calls it land or a lot.'),
      first_seen: instant('When this service first read a listing of the property.'),
      last_seen: instant('When this service last saw any listing of the property.'),
      last_verified: instant('When the main listing was last read.'),
      ...fieldsOf(Deal, ['days_on_feed', 'first_price', 'price_reduction_pct']),
      ...fieldsOf(ListingVersion, ['source_url', 'page_sha256', 'page_row']),
      as_of: date('The data clock.'),
    },
  ),
});

import { defineRecord, text } from '../../lib/record.ts';
import { Listing } from '../../sources/rows/listing.ts';
import { defineModel } from '../contract.ts';
import { addressParts, fieldsOf } from '../fields.ts';

export default defineModel({
  record: defineRecord(
    'stg_listing_address',
    'One row per street and number of units of a listing, with the normalized address.',
    ['street', 'units'],
    {
      street: text('Street as published, without blanks at its ends.'),
      ...fieldsOf(Listing, ['units']),
      ...addressParts('the street has no house number'),
    },
  ),
});

import { defineRecord, oneOf, text } from '../../lib/record.ts';
import { Listing } from '../../sources/rows/listing.ts';
import { defineModel } from '../contract.ts';
import { addressParts } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_listing',
    'One row per listing of a site, with its normalized address and its property.',
    ['source', 'listing_id'],
    {
      deal_id: text('Property of the listing.'),
      ...Listing.schema.shape,
      ...addressParts('address_status is not available'),
      address_status: oneOf(
        ['available', 'hidden_by_source', 'no_house_number'],
        'Whether the street address is complete enough to match county records.',
      ),
      ...Provenance.schema.shape,
    },
  ),
});

import { defineRecord, oneOf, text } from '../../lib/record.ts';
import { Listing } from '../../sources/rows/listing.ts';
import { defineModel } from '../contract.ts';
import { addressParts } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_listing',
    'One row per listing of a site, with its address in comparable form and the property it shows.',
    ['source', 'listing_id'],
    {
      deal_id: text('The property the listing shows.'),
      ...Listing.schema.shape,
      ...addressParts('address_status is not available'),
      address_status: oneOf(
        ['available', 'hidden_by_source', 'no_house_number'],
        'Whether the street address is known well enough to match county records.',
      ),
      ...Provenance.schema.shape,
    },
  ),
  audits: [],
});

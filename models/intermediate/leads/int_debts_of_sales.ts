import { date, defineRecord, flag, oneOf, text } from '../../../lib/record.ts';
import { AUCTION_TYPES } from '../../../sources/kinds.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Lead } from '../../marts/leads.ts';

export default defineModel({
  record: defineRecord(
    'int_debt_of_sale',
    'One row per listed tax debt and upcoming sale of the same parcel or exact address.',
    ['signal_id', 'auction_id'],
    {
      signal_id: text('Row of signals.'),
      ...fieldsOf(Lead, ['owner_location']),
      auction_id: text('Row of auctions.'),
      auction_type: oneOf(AUCTION_TYPES, 'Kind of auction.'),
      sale_date: date('Day of the sale.'),
      is_same_parcel: flag('True if both name the same parcel.', { absent: 'the sale names no parcel' }),
      match_basis: oneOf(['parcel_exact', 'address_exact'], 'Key that debt and sale share.'),
    },
  ),
});

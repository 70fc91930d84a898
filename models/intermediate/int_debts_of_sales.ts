import { date, defineRecord, flag, text } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Lead } from '../marts/leads.ts';

export default defineModel({
  record: defineRecord(
    'int_debt_of_sale',
    'One row per listed tax debt and sheriff sale to come of the same parcel or exact address.',
    ['signal_id', 'auction_id'],
    {
      signal_id: text('Row of signals.'),
      debt_url: text('Public page that shows the debt.'),
      ...fieldsOf(Lead, ['owner_location']),
      auction_id: text('Row of auctions.'),
      sale_url: text('Public page that shows the sale.'),
      sale_date: date('Day of the sale.'),
      is_same_parcel: flag('Whether both name the same parcel.', { absent: 'the sale names no parcel' }),
    },
  ),
  audits: [],
});

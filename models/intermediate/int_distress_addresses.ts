import { date, defineRecord, instant, money, oneOf, text } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { addressParts } from '../fields.ts';

const ALWAYS = 'never';

export default defineModel({
  record: defineRecord('int_distress_address', 'One row per address of a county record that stands today: a listed delinquency or a sale to come. A line that names two addresses gives two rows.',
    ['kind', 'record_id', 'address_key'], {
      kind: oneOf(['tax_delinquent', 'sheriff_sale'], 'Kind of distress.'),
      record_id: text('Signal or auction.'),
      county_fips: text('County.'),
      county: text('County name and state.'),
      parcel_id: text('Parcel number as printed.', { absent: 'not printed' }),
      address: text('Address as printed.'),
      zip: text('Five-digit ZIP.', { absent: 'not printed' }),
      ...addressParts(ALWAYS),
      amount: money('Delinquent amount.', { absent: 'a sale, or the list has no amount' }),
      sale_date: date('Day of the sale.', { absent: 'a delinquency' }),
      source_url: text('Public page.'),
      last_seen: instant('When the row was last read.'),
    }),
  audits: [],
});

import { date, defineRecord, oneOf, text } from '../../../lib/record.ts';
import { RECORD_KINDS } from '../../../sources/kinds.ts';
import { defineModel } from '../../contract.ts';
import { INDEPENDENT_KINDS } from '../../fields.ts';

export default defineModel({
  record: defineRecord(
    'int_record_pair',
    'One row per record that may be a lead and other record in force of the same property.',
    ['record_id', 'other_id'],
    {
      record_id: text('A listed tax delinquency or an upcoming sale.'),
      own_kind: oneOf(RECORD_KINDS, 'Its kind.'),
      own_counts_as: oneOf(INDEPENDENT_KINDS, 'Independent kind of distress that it counts as.'),
      other_id: text('Other signal or auction.'),
      kind: oneOf(RECORD_KINDS, 'Kind of the other record.'),
      counts_as: oneOf(INDEPENDENT_KINDS, 'Independent kind of distress that the other record counts as.'),
      record_name: text('Case, record or parcel number of the other record.', { absent: 'it has none' }),
      filed_on: date('Day on which the other record was filed.', {
        absent: 'it is a sale, or the day is not published',
      }),
      sale_date: date('Day of the sale.', { absent: 'the other record is no sale' }),
      source: text('Source of the other record.'),
      source_url: text('Public page of the other record.'),
      match_basis: oneOf(['parcel_exact', 'address_exact'], 'Key that the two records share.'),
    },
  ),
});

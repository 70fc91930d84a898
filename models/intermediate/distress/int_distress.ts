import { defineRecord, integer, money, oneOf } from '../../../lib/record.ts';
import { AUCTION_TYPES } from '../../../sources/kinds.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_distress',
    'One row per property: the public records that match it, those that may, and the coverage of its place.',
    ['id'],
    {
      ...fieldsOf(Deal, [
        'id',
        'distress_kinds',
        'distress_signals_count',
        'distress_matches',
        'distress_candidates',
        'distress_status',
        'distress_coverage',
      ]),
      tax_amount: money('Sum of the delinquent amounts that match.', { absent: 'no delinquency matches' }),
      tax_records: integer('Delinquencies that match.'),
      sale_records: integer('Sales that match.'),
      sale_in_days: integer('Days to the next matching sale.', { absent: 'no sale matches', unit: 'days' }),
      next_sale_type: oneOf(AUCTION_TYPES, 'Kind of the next matching sale.', { absent: 'no sale matches' }),
    },
  ),
});

import { defineRecord, integer, money } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Deal } from '../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_distress',
    'One row per property: county records of exactly its address, those that may be of it, and what is covered at all.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'distress_matches', 'distress_candidates', 'distress_status', 'distress_coverage']),
      tax_amount: money('Delinquent amounts of its parcels together.', { absent: 'no delinquency matches' }),
      tax_records: integer('Delinquencies that match.'),
      sale_records: integer('Sheriff sales that match.'),
      sale_in_days: integer('Days to the next matching sale.', { absent: 'no sale matches', unit: 'days' }),
    },
  ),
  audits: [],
});

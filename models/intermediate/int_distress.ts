import { defineRecord, integer, money } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Deal } from '../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_distress',
    'One row per property: the county records that match it, those that may, and the coverage of its ZIP.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'distress_matches', 'distress_candidates', 'distress_status', 'distress_coverage']),
      tax_amount: money('Sum of the delinquent amounts that match.', { absent: 'no delinquency matches' }),
      tax_records: integer('Delinquencies that match.'),
      sale_records: integer('Sheriff sales that match.'),
      sale_in_days: integer('Days to the next matching sale.', { absent: 'no sale matches', unit: 'days' }),
    },
  ),
  audits: [],
});

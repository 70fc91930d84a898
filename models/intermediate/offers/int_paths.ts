import { defineRecord, money } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_path',
    'One row per property: the three paths, each with its status, thresholds and inputs.',
    ['id'],
    {
      ...fieldsOf(Deal, [
        'id',
        'rental_status',
        'rental_rationale',
        'wholesale_status',
        'wholesale_rationale',
        'creative_finance_status',
        'creative_finance_rationale',
      ]),
      arv: money('Income value after repairs: noi_underwritten at wholesale_arv_cap_pct.', {
        absent: 'noi_underwritten is null',
      }),
      mao: money('The most a wholesaler may pay: a share of arv, less repairs and the fee.', {
        absent: 'arv is null',
      }),
    },
  ),
});

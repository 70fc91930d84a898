import { defineRecord, money } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_condition',
    'One row per property: repairs by age, the yield on price and repairs, and the share of the points that count.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'upfront_repairs_per_unit']),
      upfront_repairs: money('upfront_repairs_per_unit x units.', { absent: 'units is null' }),
      ...fieldsOf(Deal, ['yield_on_cost_pct', 'price_to_rent', 'score_share_pct', 'score_limit', 'condition_risk']),
    },
  ),
});

import { defineRecord, percent } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_score',
    'One row per property: motivation, distress and deal score, each with its parts.',
    ['id'],
    {
      ...fieldsOf(Deal, [
        'id',
        'motivation_score',
        'motivation_price_cut',
        'motivation_days',
        'distress_score',
        'deal_score',
        'deal_score_yield',
        'deal_score_coverage',
        'deal_score_motivation',
        'deal_score_distress',
      ]),
      tax_to_price_pct: percent('Delinquent tax over the asking price.', {
        absent: 'no delinquency matches, or the site publishes no price',
      }),
    },
  ),
  audits: [
    never(
      'int_scores',
      'motivation_is_sum',
      'motivation_score is the sum of its parts',
      'motivation_score <> motivation_price_cut + motivation_days',
    ),
  ],
});

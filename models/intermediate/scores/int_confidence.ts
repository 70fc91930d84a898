import { defineRecord, ratio } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_confidence',
    'One row per property: confidence as a sum of named parts, and why parts are low.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'confidence_score', 'confidence_parts', 'confidence_reasons']),
      part_price_verified: ratio('For the age of the price.'),
      part_units_known: ratio('For a known number of units.'),
      part_rent_proxy: ratio('For the area of the rent.'),
      part_noi_source: ratio('For the source of the NOI.'),
      part_agreement: ratio('For a claim near the underwriting.'),
      part_reliability: ratio('For a rent that fits.'),
      part_year_built: ratio('For a known year of construction.'),
      part_condition_risk: ratio('Off for a price that indicates the condition.'),
      part_claim_contradicted: ratio('Off for a claim that contradicts itself.'),
      part_loan_rate: ratio('Off for an old rate.'),
    },
  ),
});

import { defineRecord, text } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Deal } from '../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_market_rent',
    "One row per property: HUD's 2-bedroom rent at its address, and whether it is that of the ZIP or of the HUD area.",
    ['id'],
    {
      ...fieldsOf(Deal, [
        'id',
        'market_rent_2br',
        'rent_basis',
        'rent_area_code',
        'rent_area_name',
        'rent_fiscal_year',
      ]),
      rent_source: text('Source of the rent.', { absent: 'rent_basis is unknown' }),
      ...fieldsOf(Deal, ['rent_source_url', 'rent_observed_at', 'rent_outdated_reason']),
    },
  ),
  audits: [],
});

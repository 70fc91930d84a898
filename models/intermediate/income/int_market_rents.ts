import { defineRecord, money, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { NO_RENT } from '../../deal/absence.ts';
import { Deal } from '../../marts/deals.ts';

const NO_AREA_RENT = 'the rent of the area was never read, or rent_basis is unknown';

export default defineModel({
  record: defineRecord(
    'int_market_rent',
    "One row per property: HUD's rents by bedrooms at its address, of the ZIP or of the HUD area.",
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'market_rent_2br']),
      market_rent_0br: money("HUD's rent of an efficiency at the address.", { absent: NO_RENT }),
      market_rent_1br: money("HUD's rent of 1 bedroom at the address.", { absent: NO_RENT }),
      market_rent_3br: money("HUD's rent of 3 bedrooms at the address.", { absent: NO_RENT }),
      market_rent_4br: money("HUD's rent of 4 bedrooms at the address.", { absent: NO_RENT }),
      area_rent_0br: money("HUD's rent of an efficiency in the whole area.", { absent: NO_AREA_RENT }),
      area_rent_1br: money("HUD's rent of 1 bedroom in the whole area.", { absent: NO_AREA_RENT }),
      area_rent_2br: money("HUD's rent of 2 bedrooms in the whole area.", { absent: NO_AREA_RENT }),
      area_rent_3br: money("HUD's rent of 3 bedrooms in the whole area.", { absent: NO_AREA_RENT }),
      area_rent_4br: money("HUD's rent of 4 bedrooms in the whole area.", { absent: NO_AREA_RENT }),
      ...fieldsOf(Deal, ['rent_basis', 'rent_area_code', 'rent_area_name', 'rent_fiscal_year']),
      rent_source: text('Source of the rent.', { absent: 'rent_basis is unknown' }),
      ...fieldsOf(Deal, ['rent_source_url', 'rent_observed_at', 'rent_outdated_reason']),
    },
  ),
});

import { defineRecord, oneOf, ratio } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { CONTRACT_BASES, IN_PLACE_BASES } from '../../deal/income.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

const inPlaceRatio = (bedrooms: number) =>
  ratio(`Rent in place over HUD's rent, ${bedrooms} bedrooms.`, { decimals: 4 });

export default defineModel({
  record: defineRecord(
    'int_rent_in_place',
    "One row per property: from HUD's asking rents to the rent that sitting tenants pay the landlord.",
    ['id'],
    {
      ...fieldsOf(Deal, ['id', 'market_rent_mix', 'rent_in_place', 'contract_rent']),
      in_place_ratio_0br: inPlaceRatio(0),
      in_place_ratio_1br: inPlaceRatio(1),
      in_place_ratio_2br: inPlaceRatio(2),
      in_place_ratio_3br: inPlaceRatio(3),
      in_place_ratio_4br: inPlaceRatio(4),
      utility_share_used: ratio('Share of gross rent that pays for utilities.', { decimals: 4 }),
      in_place_basis: oneOf(
        IN_PLACE_BASES,
        "Origin of the ratios: the census's source, the calibrated table, or an assumption.",
      ),
      contract_basis: oneOf(CONTRACT_BASES, 'Origin of utility_share_used.'),
    },
  ),
  audits: [
    never(
      'int_rents_in_place',
      'never_above_market',
      'sitting tenants do not pay more than new ones, and contract rent is below gross rent',
      'rent_in_place > market_rent_mix + 0.01 OR contract_rent > rent_in_place',
    ),
  ],
});

import { defineRecord, money, oneOf, percent, ratio, text } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { NO_PRICE } from '../../deal/absence.ts';
import { TAX_BILL_BASES, TAX_RATE_BASES, TAX_RULE_BASES } from '../../deal/income.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_property_tax',
    'One row per property: the property tax of today, and the tax after a sale at the asking price.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id']),
      tax_rate_pct: percent("Tax over value of owners' homes."),
      tax_rate_basis: oneOf(TAX_RATE_BASES, 'Place of the rate.'),
      tax_class_factor: ratio("Tax of a rental building over that of an owner's home of the same value.", {
        decimals: 4,
      }),
      tax_reset_share: ratio('Share of the tax that a sale resets.', { decimals: 4 }),
      tax_rule_basis: oneOf(
        TAX_RULE_BASES,
        'Whether the rule of the state was confirmed, or an assumption replaces it.',
      ),
      tax_rule_statute: text('Statute of the rule.', { absent: 'the state has no rule in the table' }),
      tax_at_price: money('Tax if the whole value is the asking price.', { absent: NO_PRICE }),
      tax_bill: money('The bill that the county or the listing states.', { absent: 'neither states one' }),
      tax_current: money("Today's tax: the bill, within the declared multiples of tax_at_price.", { absent: NO_PRICE }),
      tax_current_basis: oneOf(
        TAX_BILL_BASES,
        "Origin of today's tax. estimated: no bill is known, and tax_at_price replaces it; limited: the " +
          'bill is outside of the declared multiples of tax_at_price and counts as the nearer one.',
      ),
      ...fieldsOf(Deal, ['tax_after_reset']),
    },
  ),
  audits: [
    never(
      'int_property_taxes',
      'reset_is_between',
      'the tax after a sale is between the bill of today and the tax at the price',
      `tax_after_reset NOT BETWEEN least(tax_current, tax_at_price) AND greatest(tax_current, tax_at_price)`,
    ),
  ],
});

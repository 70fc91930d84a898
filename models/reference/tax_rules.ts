import { date, defineRecord, flag, integer, ratio, text } from '../../lib/record.ts';

/** How a sale changes the property tax, and how rentals are taxed against owners' homes, by state. */
export default defineRecord('tax_rule', 'One row per state.', ['state'], {
  state: text('State, by its two letters.'),
  reset_share: ratio('Share of the tax that follows the price after a sale; the rest stays at the current bill.', {
    decimals: 4,
  }),
  class_factor: ratio("Rate of a rental building over that of owners' homes, which the census measures.", {
    decimals: 4,
  }),
  class_factor_from_units: integer('Units from which class_factor applies.', { unit: 'units' }),
  rule: text('The rule in one or two sentences, with the direction of a known error.'),
  statute: text('Statute or ordinance.'),
  confirmed: flag('The text of the rule was read on an official page. The shares are choices either way.'),
  read_on: date('Day the text was last read.'),
});

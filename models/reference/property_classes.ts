import { date, defineRecord, integer, oneOf, text } from '../../lib/record.ts';
import { PROPERTY_KINDS } from '../fields.ts';

/**
 * The kind of property that a county's class code or land use words mean. Ohio's codes are those of Ohio Administrative
 * Code 5703-25-10; counties add digits and print words. A code for 4 to 19 units counts as five_up: most of its range
 * is. Where a class means different property in different counties, its kind is unknown.
 */
export default defineRecord('property_class', 'One row per rule, the first that matches.', ['area', 'rule_number'], {
  area: text('Start of the county FIPS: two digits for a state, five for a county, whose rules come first.'),
  rule_number: integer('Place in the order of the area.'),
  pattern: text('Regular expression of the class in upper case.'),
  example: text('A class as published that the rule matches.'),
  property_kind: oneOf(PROPERTY_KINDS, 'Kind of property.'),
  meaning: text('The class in words.'),
  source: text('Rule or list that defines it.'),
  read_on: date('Day the source was last read.'),
});

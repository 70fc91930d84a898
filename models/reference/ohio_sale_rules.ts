import { date, defineRecord, text } from '../../lib/record.ts';

/**
 * The law behind an opening bid, from public copies of the Ohio Revised Code. Bills SB 135 and HB 151 (136th General
 * Assembly), which would amend 2329.17, 2329.20 and 2329.52, were pending at that time.
 */
export default defineRecord(
  'ohio_sale_rule',
  'One row per kind of sale and basis of the opening bid.',
  ['sale_kind', 'opening_bid_basis'],
  {
    sale_kind: text('Kind of sale.'),
    opening_bid_basis: text('Basis of the opening bid.'),
    statute_ref: text('Section of the Ohio Revised Code.'),
    rule: text('The rule in one sentence.'),
    checked_on: date('Day the text was last read.'),
  },
);

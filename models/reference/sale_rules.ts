import { date, defineRecord, oneOf, text } from '../../lib/record.ts';
import { AUCTION_TYPES } from '../../sources/kinds.ts';

/**
 * The law behind an opening bid. Ohio's is from public copies of the Ohio Revised Code; bills SB 135 and HB 151 (136th
 * General Assembly), which would amend 2329.17, 2329.20 and 2329.52, were pending at that time. A bid is derived only
 * in a state that has a row of the basis two_thirds_of_appraisal.
 */
export default defineRecord(
  'sale_rule',
  'One row per state, kind of auction, kind of sale and basis of the opening bid.',
  ['state', 'auction_type', 'sale_kind', 'opening_bid_basis'],
  {
    state: text('Two-letter state.'),
    auction_type: oneOf(AUCTION_TYPES, 'Kind of auction.'),
    sale_kind: text('Kind of sale.'),
    opening_bid_basis: text('Basis of the opening bid.'),
    statute_ref: text('Section of the law of the state.', { absent: 'the section was not verified' }),
    rule: text('The rule in one sentence.'),
    checked_on: date('Day the text was last read.', { absent: 'the text was not read for this table' }),
  },
);

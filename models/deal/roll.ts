/** Fields of deals and leads from the tax roll of their county: last sale and assessed value. */
import { NO_PARCEL, NO_ROLL_FIGURE } from '../absence/deals.ts';
import { NO_ROLL, NOT_ON_ROLL } from '../absence/leads.ts';
import { date, money, oneOf, text } from '../../lib/record.ts';

/** The fields of a lead from the roll of its parcel. */
export const rollOfLead = {
  last_sale_date: date('Day of the last transfer on the roll.', { absent: NOT_ON_ROLL }),
  last_sale_price: money('Price of the last transfer on the roll. No score uses it.', { absent: NOT_ON_ROLL }),
  assessed_market_value: money("Market value of the parcel on the county's roll.", { absent: NOT_ON_ROLL }),
  roll_source: text('Source of the roll, a row of sources.', { absent: NO_ROLL }),
  roll_source_url: text('Public page of the parcel on the roll.', { absent: NO_ROLL }),
};

/** The fields of a deal. */
export const roll = {
  roll_status: oneOf(
    ['matched', 'ambiguous', 'no_match', 'county_not_covered', 'address_unknown'],
    'Result of the search in parcel layers and tax rolls. matched: one parcel has exactly the address, ' +
      'or a matching county record; ambiguous: several parcels; no_match: a roll has the ZIP, and not the ' +
      'address; county_not_covered: no roll has the ZIP.',
  ),
  roll_parcel_id: text('Parcel number as the roll prints it.', { absent: NO_PARCEL }),
  last_sale_date: date('Day of the last transfer on the roll.', { absent: NO_ROLL_FIGURE }),
  last_sale_price: money('Price of the last transfer on the roll. No score uses it.', { absent: NO_ROLL_FIGURE }),
  last_sale_basis: oneOf(
    ['market', 'not_market', 'unknown'],
    'Whether the roll says that the last transfer was a sale at market.',
    { absent: NO_ROLL_FIGURE },
  ),
  assessed_market_value: money("Market value of the parcel on the county's roll.", {
    absent: NO_ROLL_FIGURE,
  }),
  roll_source: text('Source of the roll, a row of sources.', { absent: NO_PARCEL }),
  roll_source_url: text('Public page of the parcel on the roll.', { absent: NO_PARCEL }),
};

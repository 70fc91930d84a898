/** The first fields of a deal: the property, its listing, and the main figures of claim, underwriting and scores. */
import { instant, integer, money, oneOf, percent, ratio, text, uuid } from '../../lib/record.ts';
import { readFrom } from '../fields.ts';
import {
  NO_DSCR,
  NO_GAP,
  NO_INCOME,
  NO_NOI,
  NO_NOI_SOURCE,
  NO_PRICE,
  NO_RENT,
  NO_STREET,
  NO_UNDERWRITING,
  NO_UNITS,
  NOT_ADVERTISED,
} from '../absence/deals.ts';

/** Values of underwrite_reliability. */
export const UNDERWRITE_RELIABILITIES = ['ok', 'proxy_out_of_range', 'unknown'] as const;

export const summary = {
  // Property
  id: uuid('UUID of address and ZIP, or of source and listing id if the site hides the street.'),
  address: text('Street address of the property.', { absent: NO_STREET }),
  city: text('City of the property.'),
  state: text('Two-letter state.'),
  zip: text('Five-digit ZIP.'),

  // Listing
  source: readFrom.source,
  listing_url: text('Page of the listing, or its record in an MLS feed, which needs a license.'),
  list_price: money('Asking price.', { absent: NO_PRICE }),
  units: integer('Dwelling units.', { absent: NO_UNITS, unit: 'units' }),
  cap_rate: percent('Advertised cap rate.', { absent: NOT_ADVERTISED }),
  noi: money('Net operating income per year; noi_source names its origin.', { absent: NO_NOI }),
  noi_source: oneOf(['stated', 'derived_from_advertised_cap', 'underwritten'], 'Origin of noi.', {
    absent: NO_NOI_SOURCE,
  }),

  // Underwriting
  market_rent_2br: money('HUD Fair Market Rent of 2 bedrooms per month: gross rent, not a rent roll.', {
    absent: NO_RENT,
  }),
  noi_underwritten: money('NOI from the HUD rent and the declared assumptions, per year, before reserves.', {
    absent: NO_INCOME,
  }),
  cap_rate_underwritten: percent('noi_underwritten over list_price.', { absent: NO_UNDERWRITING }),
  dscr: ratio('noi over annual_debt_service.', { absent: NO_DSCR }),
  dscr_status: oneOf(['computed', 'insufficient_data', 'not_applicable'], 'Whether dscr could be computed.'),

  // Scores
  deal_score: integer('0 to 100: the sum of the five deal_score parts.', { unit: 'points', follows: 'day' }),
  confidence_score: ratio('How much is known rather than assumed, 0 to 1: the sum of confidence_parts.', {
    follows: 'day',
  }),
  why_this_is_interesting: text('What decides the deal, in at most 80 characters.', { follows: 'day' }),
  cap_gap_pct: percent('Claimed cap rate (cap_rate, else cap_rate_derived) less cap_rate_underwritten.', {
    absent: NO_GAP,
    unit: 'percentage points',
  }),
  underwrite_reliability: oneOf(UNDERWRITE_RELIABILITIES, "Whether HUD's 2-bedroom rent fits this property."),
  rental_status: oneOf(['Hot', 'Warm', 'Pass'], 'Status of the rental path.'),
  motivation_score: integer('Price cuts and time on the feed, as observed, 0 to 100.', {
    unit: 'points',
    follows: 'day',
  }),

  // Freshness
  last_verified: instant("Last read of the asking price on the listing's page.", { follows: 'reads' }),
  price_reduction_pct: percent('Price drop from first_price to list_price; 0.00 if none.', { absent: NO_PRICE }),
  days_on_feed: integer('Days from first_seen to the data clock, or until it was found gone. Not days on market.', {
    unit: 'days',
    follows: 'day',
  }),
};

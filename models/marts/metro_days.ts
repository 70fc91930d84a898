import { date, defineRecord, integer, oneOf, percent } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { METRO_NAMES } from '../metros.ts';

const NO_PREVIOUS = 'there is no earlier snapshot';
const NONE_COMPARED = 'compared is 0';

export const MetroDay = defineRecord(
  'metro_day',
  'One row per metro and day of a snapshot. The site rounds its figures.',
  ['metro', 'as_of'],
  {
    metro: oneOf(METRO_NAMES, 'Metro.'),
    as_of: date('Day of the snapshot; of several on a day, the last.'),
    deals: integer('Active deals.', { unit: 'deals' }),
    compared: integer('Active deals with a broker’s cap rate, stated or by the stated NOI, and a HUD rent that fits.', {
      unit: 'deals',
    }),
    cap_rate_asked: percent('Median of the brokers’ cap rates of the compared deals.', { absent: NONE_COMPARED }),
    cap_rate_underwritten: percent('Median of the underwritten cap rates of the compared deals.', {
      absent: NONE_COMPARED,
    }),
    new_deals: integer('Active deals that were not active in the snapshot of an earlier day.', {
      unit: 'deals',
      absent: NO_PREVIOUS,
    }),
    gone_deals: integer('Deals that were active in that snapshot and are not now.', {
      unit: 'deals',
      absent: NO_PREVIOUS,
    }),
    price_cuts: integer('Active deals whose asking price is below that of that snapshot.', {
      unit: 'deals',
      absent: NO_PREVIOUS,
    }),
    auctions_ahead: integer('Sales on this day or later that are not called off.', { unit: 'sales' }),
  },
);

export default defineMart({
  record: MetroDay,
  publish: { orderBy: ['as_of', 'metro'], notReleased: 'its figures are of few deals, and the site rounds them' },
});

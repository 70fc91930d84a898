/** Sheriff sales. */
import { Auction } from '../../models/marts/auctions.ts';
import { listRoute, NUMBER, Where } from '../list.ts';
import { dayParam, flagParam, numberParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';

/** A sale that will not take place on its day. */
const CALLED_OFF = "('cancelled', 'withdrawn', 'postponed', 'removed')";

/** Sales still to come, told by the data clock. */
export const upcoming = (today: string): Where => new Where().add(`sale_date >= CAST(? AS DATE) AND sale_status NOT IN ${CALLED_OFF}`, today);

export const auctions = listRoute({
  path: '/api/auctions', price: PRICES['/api/auctions'],
  about: 'Upcoming sheriff sales, ranked by sale date.',
  filters: {
    county: textParam('Part of the county name, upper or lower case.'),
    from_date: dayParam('First sale day; default today by the data clock.'),
    to_date: dayParam('Last sale day.'),
    min_appraised: numberParam('Lowest appraised value, USD.'),
    include_past: flagParam('true: past sale days too, whatever became of the sale.'),
  },
  record: Auction.schema,
  list({ params, today }) {
    const where = params.include_past === true
      ? new Where().add(`sale_date < CAST(? AS DATE) OR sale_status NOT IN ${CALLED_OFF}`, today)
      : upcoming(today);
    return {
      table: 'auctions', what: 'auction', rank: { column: 'sale_date', direction: 'ASC' },
      where: where
        .when('contains(lower(county), lower(?))', params.county)
        .when('sale_date >= CAST(? AS DATE)', params.from_date)
        .when('sale_date <= CAST(? AS DATE)', params.to_date)
        .when(`appraised_value >= ${NUMBER}`, params.min_appraised),
      note: 'Sales that were called off are left out unless their day has passed and include_past is true.',
    };
  },
});

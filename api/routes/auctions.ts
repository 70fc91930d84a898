/** GET /api/auctions: sheriff, foreclosure and tax sales. */
import { AUCTION_TYPES } from '../../models/fields.ts';
import { Auction } from '../../models/marts/auctions.ts';
import { Filters, type Condition } from '../serving/filters.ts';
import { FIELD_GROUPS } from './list/field_groups.ts';
import { listRoute } from './list/route.ts';
import { checkRange, choiceParam, dayParam, flagParam, numberParam, type Hint } from './params.ts';
import { areaFilters } from './list/area.ts';
import { by } from './list/filters.ts';
import { placeFilters } from './list/place.ts';
import { PRICES } from '../../lib/prices.ts';

const { county, ...otherPlaces } = placeFilters;

/** Records per page by default: well below 100 kB. */
const PAGE = 32;

/** Sales that have not been called off. */
const NOT_CANCELLED: Condition = {
  column: 'sale_status',
  is: 'none of',
  values: ['cancelled', 'withdrawn', 'postponed', 'removed'],
};

/** Sales from today on, by the data clock. */
export const upcomingAuctions = (today: string): Filters =>
  new Filters('auctions').and('sale_date', '>=', today).either(NOT_CANCELLED);

interface Days {
  readonly from_date?: string;
  readonly include_past?: boolean;
}

/** Advice about a first day in the past, without the sales of the past. */
const pastFromDate = ({ from_date: from, include_past: past }: Days, today: string): Hint[] =>
  from === undefined || from >= today || past === true
    ? []
    : [
        {
          code: 'past_from_date',
          parameter: 'from_date',
          value: from,
          message: `from_date is past: only sales from ${today} on are listed. include_past=true adds the past ones.`,
        },
      ];

export const auctions = listRoute({
  name: 'auctions',
  path: '/api/auctions',
  price: PRICES['/api/auctions'],
  about: 'Upcoming sheriff, foreclosure and tax sales, ranked by sale date.',
  filters: {
    county,
    from_date: by('sale_date', '>=', dayParam('First sale day; default: today by the data clock.')),
    to_date: by('sale_date', '<=', dayParam('Last sale day.')),
    min_appraised: by('appraised_value', '>=', numberParam('Minimum appraised value, USD.')),
    include_past: {
      param: flagParam('true: also past sale days, with any outcome.'),
      narrow: (sales: Filters) => sales,
    },
    auction_type: by('auction_type', '=', choiceParam(AUCTION_TYPES, 'Kind of sale.')),
    ...otherPlaces,
    ...areaFilters,
  },
  record: Auction.schema,
  fields: FIELD_GROUPS.auctions,
  page: PAGE,
  feed: {
    list: 'auctions',
    filters: [...Object.keys(placeFilters), 'auction_type'],
    columns: { auction_type: 'kind' },
    fields: { metro: 'county' },
  },
  check({ params: { from_date: from, to_date: to, include_past: past }, today }) {
    if (from === undefined && to !== undefined && past !== true)
      checkRange(['from_date', today], ['to_date', to], ' by default (today by the data clock)');
  },
  hints: ({ params, today }) => pastFromDate(params, today),
  list: ({ params, today }) => ({
    itemName: 'auction',
    rank: { column: 'sale_date', direction: 'ASC' },
    filters:
      params.include_past === true
        ? new Filters('auctions').either({ column: 'sale_date', is: '<', value: today }, NOT_CANCELLED)
        : upcomingAuctions(today),
    note: [
      'Sales that were called off are excluded, unless their day has passed and include_past is true.',
      ...pastFromDate(params, today).map(({ message }) => message),
    ].join(' '),
  }),
});

/** Deals: the free index, the full feed, cards, and hot deals. */
import { z } from 'zod';
import { partOf } from '../../lib/record.ts';
import { UNDERWRITE_RELIABILITIES } from '../../models/deal/property.ts';
import { Deal } from '../../models/marts/deals.ts';
import { DEAL_CARD, FIELD_GROUPS } from './list/field_groups.ts';
import { Filters } from '../serving/filters.ts';
import { cachePerDay } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { unsold, type Held } from './leads/lead_holds.ts';
import { listRoute } from './list/route.ts';
import { noteOf, GENERATED_AT } from './envelope.ts';
import { choiceParam, dayParam, integerParam, numberParam, percentParam } from './params.ts';
import { areaFilters } from './list/area.ts';
import { by, narrowed, type Filter, type ParamsOf } from './list/filters.ts';
import { placeFilters } from './list/place.ts';
import { PRICES } from '../../lib/prices.ts';
import { defineRoute, type RouteRequest } from './define.ts';
import { startOfDay } from './weeks.ts';

const { state, city, county, zip, metro } = placeFilters;

const INDEX_SIZE = 50;
/** Records per page of the full record, and of cards: well below 100 kB. */
const [PAGE, CARDS_PAGE] = [20, 100];
/** Minimum advertised cap rate of a hot deal, in percent. */
const HOT_CAP_RATE = '8.5';
const MAX_UNITS = 100_000;

/** Deals for sale now: not sold, withdrawn or under contract. */
export const activeDeals = (): Filters => new Filters('deals').and('listing_status', '=', 'active');

/** Deals of free samples and examples: not of a property that was sold as a lead. */
export const freeDeals = (held: Held): Filters => unsold(activeDeals(), held);

/** The rows of the free index. */
export async function freeIndex(snapshot: Snapshot): Promise<readonly number[]> {
  const ranked = { filters: activeDeals(), rank: { column: 'deal_score', direction: 'DESC' } } as const;
  return (await snapshot.find(ranked, undefined, INDEX_SIZE)).rows;
}

/** Deals listed on this day or later. */
const listedSince: Filter<ReturnType<typeof dayParam>> = {
  param: dayParam(
    'First day of listing: listed_on, or the day on which this service first read it where the site states none.',
  ),
  narrow(deals, day) {
    const isListed = { column: 'listed_on', is: '>=', value: day } as const;
    return deals
      .either(isListed, { column: 'listed_on', is: 'absent' })
      .either(isListed, { column: 'first_seen', is: '>=', value: startOfDay(day) });
  },
};

const reliability = choiceParam(UNDERWRITE_RELIABILITIES, "Whether HUD's 2-bedroom rent is a usable proxy.");

const dealFilters = {
  state,
  city,
  min_price: by('list_price', '>=', numberParam('Minimum asking price, USD.')),
  max_price: by('list_price', '<=', numberParam('Maximum asking price, USD.')),
  min_cap: by('cap_rate', '>=', percentParam('Minimum advertised cap rate, percent.')),
  min_units: by('units', '>=', integerParam('Minimum number of units.', 0, MAX_UNITS)),
  max_units: by('units', '<=', integerParam('Maximum number of units.', 0, MAX_UNITS)),
  min_score: by('deal_score', '>=', integerParam('Minimum deal_score.', 0, 100)),
  status: by('rental_status', '=', choiceParam(['Hot', 'Warm', 'Pass'], 'Status of the rental path (rental_status).')),
  zip,
  county,
  min_cap_underwritten: by('cap_rate_underwritten', '>=', percentParam('Minimum cap_rate_underwritten, percent.')),
  max_cap_gap: by(
    'cap_gap_pct',
    '<=',
    numberParam('Maximum cap_gap_pct: the claimed cap rate less the underwritten one.', 'points such as 1.5'),
  ),
  underwrite_reliability: by('underwrite_reliability', '=', reliability),
  min_dscr: by('dscr', '>=', numberParam('Minimum dscr.', 'a ratio such as 1.25')),
  listed_since: listedSince,
  metro,
  ...areaFilters,
};

const impliedCap = {
  implied_by_noi: z
    .int()
    .optional()
    .meta({
      description:
        'Only with min_cap: further active deals that match all other filters and advertise no cap rate, but state ' +
        'an NOI that implies at least min_cap (cap_rate_derived). They are not in records.',
    }),
};

/** The number of deals whose stated NOI implies min_cap, if it is given. */
async function impliedByNoi(request: RouteRequest<ParamsOf<typeof dealFilters>>): Promise<{ implied_by_noi?: number }> {
  const { min_cap: least } = request.params;
  if (least === undefined) return {};
  const implied = (await narrowed(activeDeals(), dealFilters, request, ['min_cap']))
    .either({ column: 'cap_rate', is: 'absent' })
    .and('cap_rate_derived', '>=', least);
  return { implied_by_noi: await request.snapshot.total(implied) };
}

/** Active deals, the highest value of this column first. */
const rankedBy = (column: string) => async (request: Parameters<typeof impliedByNoi>[0]) => ({
  itemName: 'active deal',
  filters: activeDeals(),
  more: await impliedByNoi(request),
  rank: { column, direction: 'DESC' as const },
});

const IndexRecord = partOf(Deal, 'id address city state list_price units cap_rate deal_score report_status');

/** The body of the free index. */
export const DealIndex = z.strictObject({
  note: z.string(),
  count: z.int(),
  generated_at: GENERATED_AT,
  records: z.array(IndexRecord),
});

export const dealIds = defineRoute({
  name: 'deal_ids',
  path: '/api/deals/ids',
  price: null,
  about: `Free index: the top ${INDEX_SIZE} active deals by deal_score.`,
  params: {},
  response: DealIndex,
  handle: cachePerDay(async ({ snapshot, manifest }) => {
    const records = snapshot.records('deals', await freeIndex(snapshot), Object.keys(IndexRecord.shape));
    return {
      ...noteOf(
        manifest,
        `The top ${INDEX_SIZE} active deals by deal_score, free. /api/deals has all deals with their full records.`,
      ),
      count: records.length,
      generated_at: manifest.generated_at,
      records,
    };
  }),
});

export const deals = listRoute({
  name: 'deals',
  path: '/api/deals',
  price: PRICES['/api/deals'],
  about: 'Active deals with underwriting, scores and their reasons, ranked by deal_score.',
  filters: dealFilters,
  record: Deal.schema,
  fields: FIELD_GROUPS.deals,
  page: PAGE,
  more: impliedCap,
  feed: {
    list: 'deals',
    filters: Object.keys(placeFilters),
    // A record whose ZIP has changed may have left its county and its metro.
    fields: { county: 'zip', metro: 'zip' },
  },
  list: rankedBy('deal_score'),
});

const Card = partOf(Deal, DEAL_CARD);

export const dealCards = listRoute({
  name: 'deal_cards',
  path: '/api/deals/basic',
  price: PRICES['/api/deals/basic'],
  about:
    'Active deals as cards, ranked by cap rate. A card has address, price, units, advertised cap rate, condition, ' +
    'listing and freshness.',
  filters: dealFilters,
  record: Card,
  fields: { groups: {} },
  page: CARDS_PAGE,
  more: impliedCap,
  list: rankedBy('cap_rate'),
});

export const hotDeals = listRoute({
  name: 'hot_deals',
  path: '/api/deals/hot',
  price: PRICES['/api/deals/hot'],
  about:
    `Active deals with an advertised cap rate of ${HOT_CAP_RATE}% or more and a computed DSCR, ranked by ` +
    'deal_score.',
  filters: {},
  record: Deal.schema,
  fields: FIELD_GROUPS.deals,
  page: PAGE,
  list: () => ({
    itemName: 'active deal',
    rank: { column: 'deal_score', direction: 'DESC' },
    filters: activeDeals().and('cap_rate', '>=', HOT_CAP_RATE).and('dscr_status', '=', 'computed'),
    note:
      'Hot depends on the advertised cap rate alone. underwriting_agreement and underwriting_note of each deal say ' +
      'whether its underwriting agrees, condition_risk whether its building is condemned or vacant; rental_status ' +
      'may be Pass.',
  }),
});

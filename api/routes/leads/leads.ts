/** GET /api/leads: off-market seller leads. */
import { currentAssumptions } from '../../../models/assumptions.ts';
import { AUCTION_TYPES, INDEPENDENT_KINDS } from '../../../models/fields.ts';
import { Lead } from '../../../models/marts/leads.ts';
import { Filters } from '../../serving/filters.ts';
import { cachePerSnapshot } from '../../serving/memo.ts';
import type { RouteRequest } from '../define.ts';
import { FIELD_GROUPS } from '../list/field_groups.ts';
import { listRoute } from '../list/route.ts';
import { choiceParam, integerParam } from '../params.ts';
import { areaFilters } from '../list/area.ts';
import { by, narrowed, type FilterRequest } from '../list/filters.ts';
import { placeFilters } from '../list/place.ts';
import { PRICES } from '../../../lib/prices.ts';
import { startOfDay } from '../weeks.ts';
import { propertyKind } from '../signals.ts';
import { notHeld } from './lead_holds.ts';

const { county, ...otherPlaces } = placeFilters;

const MAX_SIGNALS = INDEPENDENT_KINDS.length;
const MAX_AGE_KEY = 'lead_max_age_days';

/** Days within which a lead's signal must have been verified: the snapshot's assumption, else the declared one. */
const maxAgeDays = cachePerSnapshot(async (snapshot): Promise<number> => {
  const { assumption_set_id: set } = snapshot.manifest;
  const row = snapshot.all('assumptions').find((one) => one['key'] === MAX_AGE_KEY && one['assumption_set_id'] === set);
  const value = row?.['value'] ?? currentAssumptions().rows.find(({ key }) => key === MAX_AGE_KEY)?.value;
  if (value === undefined) throw new Error(`there is no assumption ${MAX_AGE_KEY}`);
  return Number(value);
});

type DayRequest = Pick<RouteRequest<Record<never, never>>, 'snapshot' | 'today'>;

/** Leads that may be sold today: recently verified, and no sale in the past. Both depend on the day of the request. */
export const sellableLeads = async ({ snapshot, today }: DayRequest): Promise<Filters> =>
  new Filters('leads')
    .and('last_verified', '>=', startOfDay(today, await maxAgeDays(snapshot)))
    .either({ column: 'sale_date', is: 'absent' }, { column: 'sale_date', is: '>=', value: today });

/** Filters of the list and of the exclusive sale. */
export const leadFilters = {
  county,
  min_score: by('lead_score', '>=', integerParam('Minimum lead_score.', 0, 100)),
  lead_type: by('lead_type', '=', choiceParam(['tax_delinquent', 'sheriff_sale_auction'], 'Kind of lead.')),
  property_kind: propertyKind,
  min_signals: by(
    'signals_count',
    '>=',
    integerParam('Minimum signals_count: independent kinds of distress of the property.', 1, MAX_SIGNALS),
  ),
  ...otherPlaces,
  auction_type: by(
    'auction_type',
    '=',
    choiceParam(AUCTION_TYPES, 'Kind of sale of an auction lead; a tax lead has none.'),
  ),
};

/** Leads that match the filters and may be sold today, held or not. */
export const matchingLeads = async (request: DayRequest & FilterRequest): Promise<Filters> =>
  narrowed(await sellableLeads(request), leadFilters, request);

export const leads = listRoute({
  name: 'leads',
  path: '/api/leads',
  price: PRICES['/api/leads'],
  about:
    'Scored off-market seller leads from public records, each verified within the last seven days, ranked by ' +
    'lead_score. A property whose lead was sold exclusively has none.',
  filters: { ...leadFilters, ...areaFilters },
  record: Lead.schema,
  fields: FIELD_GROUPS.leads,
  page: 20,
  guarantees: ['debt_open', 'sale_scheduled'],
  feed: {
    list: 'leads',
    filters: [...Object.keys(placeFilters), 'lead_type'],
    columns: { lead_type: 'kind' },
    fields: { metro: 'county' },
  },
  // Holds are read before the rows: a property held before this request is never in the list.
  async list(request) {
    const held = await request.holds();
    return {
      itemName: 'lead',
      rank: { column: 'lead_score', direction: 'DESC' },
      filters: notHeld(await sellableLeads(request), held),
      note: 'Public records only; no skip-traced contact data.',
    };
  },
});

/**
 * New business registrations. The feed exists at the root, for both registers with a filter by state, and under a
 * prefix for each register.
 */
import { ENTITY_STATUSES, ENTITY_TYPES, Filing } from '../../../models/marts/filings.ts';
import { Filters } from '../../serving/filters.ts';
import { cachePerDay } from '../../serving/memo.ts';
import { FIELD_GROUPS } from '../list/field_groups.ts';
import { by } from '../list/filters.ts';
import { cityFilter } from '../list/place.ts';
import { listRoute, type ListRoute } from '../list/route.ts';
import { choiceParam, dayParam, textParam } from '../params.ts';
import { PRICES } from '../../../lib/prices.ts';
import type { RouteRequest } from '../define.ts';
import { dayBefore } from '../weeks.ts';

/** Records per page by default: well below 100 kB. */
const PAGE = 40;
/** Days that count as recent. */
const RECENT_DAYS = 7;

export interface Register {
  /** State of the registry. */
  readonly state: 'OH' | 'CO';
  readonly stateName: string;
  /** Path prefix of its feed. */
  readonly prefix: string;
  /** First part of the names of its routes. */
  readonly name: string;
  /** How often new filings are read. */
  readonly cadence: string;
}

export const REGISTERS: readonly Register[] = [
  {
    state: 'OH',
    stateName: 'Ohio',
    prefix: '/ohio',
    name: 'ohio',
    cadence: 'On the second Saturday of each month, when the state publishes new filings.',
  },
  { state: 'CO', stateName: 'Colorado', prefix: '/colorado', name: 'colorado', cadence: 'Daily.' },
];

/** Name of a route: "filings" for both registers, "ohio_filings" for one. */
export const nameIn = (register: Register | undefined, name: string): string =>
  register ? `${register.name}_${name}` : name;

const states = { state: by('source_state', '=', choiceParam(['OH', 'CO'], 'State of the registry.')) };
/** The filter by state; the feed of one register has none. */
export const stateFilter = (register?: Register): typeof states => (register ? ({} as typeof states) : states);
/** Start of the names of a register's sources; both registers if no state is given. */
const sourcesOf = (state: string | undefined): { sourcePrefix?: string } => {
  const register = REGISTERS.find((one) => one.state === state);
  return register ? { sourcePrefix: `${register.stateName.toLowerCase()}_sos` } : {};
};
const entityType = by('entity_type', '=', choiceParam(ENTITY_TYPES, 'Normalized entity type.'));

/** Statuses of businesses that are not in good standing. Ohio publishes no status. */
const NOT_STANDING = ENTITY_STATUSES.filter((status) => status !== 'Good Standing' && status !== 'Exists');

/** Latest filing date of each register up to today. A filing may take effect later. */
const latestFilings = cachePerDay(async ({ snapshot, today }) => {
  const [sources, days] = [snapshot.column('filings', 'source'), snapshot.column('filings', 'filing_date')];
  const rank = { column: 'filing_date', direction: 'DESC' } as const;
  const known = new Filters('filings').and('filing_date', '<=', today);
  const latest = new Map<string, string>();
  // The newest are first: of each source the first one counts, and is left out of the next search.
  for (let others = known; ;) {
    const [row] = (await snapshot.find({ filters: others, rank }, undefined, 1)).rows;
    if (row === undefined) return latest;
    const source = String(sources.at(row));
    latest.set(source, String(days.at(row)));
    others = others.and('source', '<>', source);
  }
});

/** Filings dated within the last days up to the latest that their register has published. */
export async function filingsOfLastDays(request: RouteRequest<Record<never, never>>): Promise<Filters> {
  const latest = await latestFilings(request);
  const recent = new Filters('filings').and('filing_date', '<=', request.today);
  return [...latest].reduce(
    (filters: Filters, [source, day]) =>
      filters.either(
        { column: 'source', is: '<>', value: source },
        { column: 'filing_date', is: '>=', value: dayBefore(day, RECENT_DAYS - 1) },
      ),
    recent,
  );
}

/** The lists of one register, or of both: the recent filings, and all. */
export function filingLists(register?: Register): [recent: ListRoute, all: ListRoute] {
  const prefix = register?.prefix ?? '';
  const subject = register ? `${register.stateName} business registrations` : 'Business registrations';
  return [
    listRoute({
      name: nameIn(register, 'recent_filings'),
      path: `${prefix}/api/filings/recent`,
      price: PRICES['/api/filings/recent'],
      about:
        `${subject} of the last ${RECENT_DAYS} days by filing date. The last is the latest that the register has ` +
        'published. Businesses in good standing first, then the newest filing date.',
      filters: { ...stateFilter(register), entity_type: entityType },
      record: Filing.schema,
      fields: FIELD_GROUPS.filings,
      page: PAGE,
      list: async (request) => ({
        itemName: 'recent filing',
        rank: {
          column: 'filing_date',
          direction: 'DESC',
          behind: { column: 'entity_status', values: NOT_STANDING },
        },
        filters: (await filingsOfLastDays(request)).and('source_state', '=', register?.state),
        ...sourcesOf(register?.state ?? request.params.state),
      }),
    }),
    listRoute({
      name: nameIn(register, 'filings'),
      path: `${prefix}/api/filings`,
      price: PRICES['/api/filings'],
      about: `${subject} by ${register ? '' : 'state, '}type, name and filing date, newest filing date first.`,
      filters: {
        ...stateFilter(register),
        entity_type: entityType,
        name: by('business_name', 'containing', textParam('Part of the business name, ignoring case.')),
        agent: by(
          'registered_agent_name',
          'containing',
          textParam("Part of the registered agent's name, ignoring case."),
        ),
        city: cityFilter('business_city', 'City of the business, full name, ignoring case and spelling.'),
        from_date: by('filing_date', '>=', dayParam('First filing date.')),
        to_date: by('filing_date', '<=', dayParam('Last filing date.')),
      },
      record: Filing.schema,
      fields: FIELD_GROUPS.filings,
      page: PAGE,
      feed: {
        list: 'filings',
        filters: [...Object.keys(stateFilter(register)), 'city'],
        columns: { business_city: 'city', source_state: 'state' },
        fields: { city: 'business_city' },
        ...(register ? { state: register.state } : {}),
      },
      list: ({ params }) => ({
        itemName: 'filing',
        rank: { column: 'filing_date', direction: 'DESC' },
        filters: new Filters('filings').and('source_state', '=', register?.state),
        ...sourcesOf(register?.state ?? params.state),
      }),
    }),
  ];
}

/** The lists of both registers. */
export const [recentFilings, filings] = filingLists();

/**
 * New business registrations. The feed exists at the root, for both registers with a filter by state, and under a
 * prefix for each register.
 */
import { Filing, ENTITY_TYPES } from '../../../models/marts/filings.ts';
import { Filters } from '../../snapshot/filters.ts';
import { FIELD_GROUPS } from '../field_groups.ts';
import { listRoute } from '../list_route.ts';
import { choiceParam, dayParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';
import type { Route } from '../define.ts';
import { startOfDay } from '../weeks.ts';

/** Days that count as recent. */
export const RECENT_DAYS = 7;

export interface Register {
  /** State of the registry. */
  readonly state: 'OH' | 'CO';
  readonly stateName: string;
  /** Path prefix of its feed. */
  readonly prefix: string;
  /** How often new filings are read. */
  readonly cadence: string;
}

export const REGISTERS: readonly Register[] = [
  {
    state: 'OH',
    stateName: 'Ohio',
    prefix: '/ohio',
    cadence: 'On the second Saturday of each month, when the state publishes new filings.',
  },
  { state: 'CO', stateName: 'Colorado', prefix: '/colorado', cadence: 'Daily.' },
];

const states = { state: choiceParam(['OH', 'CO'], 'State of the registry.') };
/** The filter by state; the feed of one register has none. */
export const stateFilter = (register?: Register): typeof states => (register ? ({} as typeof states) : states);
const entityType = choiceParam(ENTITY_TYPES, 'Normalized entity type.');

/** Filings that this service first read within the last days, by the data clock. */
export const recentFilings = (today: string): Filters =>
  new Filters('filings').and('first_seen', '>=', startOfDay(today, RECENT_DAYS - 1));

/** The lists of one register, or of both. */
export function filingLists(register?: Register): Route[] {
  const prefix = register?.prefix ?? '';
  const subject = register ? `${register.stateName} business registrations` : 'Business registrations';
  return [
    listRoute({
      path: `${prefix}/api/filings/recent`,
      price: PRICES['/api/filings/recent'],
      about: `${subject} this service first read within the last ${RECENT_DAYS} days, newest first.`,
      filters: { ...stateFilter(register), entity_type: entityType },
      record: Filing.schema,
      fields: FIELD_GROUPS.filings,
      list: ({ params, today }) => ({
        itemName: 'recent filing',
        rank: { column: 'first_seen', direction: 'DESC' },
        filters: recentFilings(today)
          .and('source_state', '=', register?.state ?? params.state)
          .and('entity_type', '=', params.entity_type),
      }),
    }),
    listRoute({
      path: `${prefix}/api/filings`,
      price: PRICES['/api/filings'],
      about: `${subject} by ${register ? '' : 'state, '}type, name and filing date, newest filing date first.`,
      filters: {
        ...stateFilter(register),
        entity_type: entityType,
        name: textParam('Part of the business name, ignoring case.'),
        agent: textParam("Part of the registered agent's name, ignoring case."),
        city: textParam('City of the business, full name, ignoring case.'),
        from_date: dayParam('First filing date.'),
        to_date: dayParam('Last filing date.'),
      },
      record: Filing.schema,
      fields: FIELD_GROUPS.filings,
      list: ({ params }) => ({
        itemName: 'filing',
        rank: { column: 'filing_date', direction: 'DESC' },
        filters: new Filters('filings')
          .and('source_state', '=', register?.state ?? params.state)
          .and('entity_type', '=', params.entity_type)
          .containing('business_name', params.name)
          .containing('registered_agent_name', params.agent)
          .like('business_city', params.city)
          .and('filing_date', '>=', params.from_date)
          .and('filing_date', '<=', params.to_date),
      }),
    }),
  ];
}

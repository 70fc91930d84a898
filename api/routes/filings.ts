/** New business registrations of Ohio and Colorado. */
import { Filing, ENTITY_TYPES } from '../../models/marts/filings.ts';
import { listRoute, Where } from '../list.ts';
import { choiceParam, dayParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';

/** Days that count as recent. */
const RECENT_DAYS = 7;

const state = choiceParam(['OH', 'CO'], 'State of the registry.');
const entityType = choiceParam(ENTITY_TYPES, 'Normalised entity type.');

export const recentFilings = listRoute({
  path: '/api/filings/recent', price: PRICES['/api/filings/recent'],
  about: `Business registrations this service first read within the last ${RECENT_DAYS} days, newest first.`,
  filters: { state, entity_type: entityType },
  record: Filing.schema,
  list: (asked) => ({
    table: 'filings', what: 'recent filing', rank: { column: 'first_seen', direction: 'DESC' },
    where: new Where()
      .add(`CAST(first_seen AS DATE) > CAST(? AS DATE) - ${RECENT_DAYS}`, asked.today)
      .when('source_state = ?', asked.params.state)
      .when('entity_type = ?', asked.params.entity_type),
  }),
});

export const filings = listRoute({
  path: '/api/filings', price: PRICES['/api/filings'],
  about: 'Business registrations by state, type, name and filing date, newest filing date first.',
  filters: {
    state, entity_type: entityType,
    name: textParam('Part of the business name, upper or lower case.'),
    agent: textParam('Part of the registered agent\'s name, upper or lower case.'),
    city: textParam('City of the business; the whole name, upper or lower case.'),
    from_date: dayParam('First filing date.'),
    to_date: dayParam('Last filing date.'),
  },
  record: Filing.schema,
  list: (asked) => ({
    table: 'filings', what: 'filing', rank: { column: 'filing_date', direction: 'DESC' },
    where: new Where()
      .when('source_state = ?', asked.params.state)
      .when('entity_type = ?', asked.params.entity_type)
      .when('contains(lower(business_name), lower(?))', asked.params.name)
      .when('contains(lower(registered_agent_name), lower(?))', asked.params.agent)
      .when('lower(business_city) = lower(?)', asked.params.city)
      .when('filing_date >= CAST(? AS DATE)', asked.params.from_date)
      .when('filing_date <= CAST(? AS DATE)', asked.params.to_date),
  }),
});

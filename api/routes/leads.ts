/** Off-market seller leads. */
import { Lead } from '../../models/marts/leads.ts';
import { unclaimed } from './lead_claims.ts';
import { Filters } from '../snapshot/filters.ts';
import { listRoute } from './list_route.ts';
import { choiceParam, integerParam, textParam } from './params.ts';
import { PRICES } from './prices.ts';
import type { Asked } from './define.ts';
import { beginningOf } from './weeks.ts';

/** Days within which a lead's signal must have been verified. */
const LEAD_DAYS = 7;

/** Leads that may be sold on this day: verified within seven days, the sale not past. Told when serving, not only when built. */
export const available = (today: string): Filters =>
  new Filters('leads')
    .and('last_verified', '>=', beginningOf(today, LEAD_DAYS))
    .either({ column: 'sale_date', is: 'absent' }, { column: 'sale_date', is: '>=', value: today });

/** Filters of the list and of the exclusive sale. */
export const leadFilters = {
  county: textParam('Part of the county name, upper or lower case.'),
  min_score: integerParam('Lowest lead_score.', 0, 100),
  lead_type: choiceParam(['tax_delinquent', 'sheriff_sale_auction'], 'Kind of lead.'),
};

/** Leads that match the filters and may be sold on this day, claimed or not. */
export const matching = ({ today, params }: Pick<Asked<typeof leadFilters>, 'today' | 'params'>): Filters =>
  available(today)
    .containing('county', params.county)
    .and('lead_score', '>=', params.min_score)
    .and('lead_type', '=', params.lead_type);

export const leads = listRoute({
  path: '/api/leads',
  price: PRICES['/api/leads'],
  about:
    'Scored off-market seller leads from public records, each verified within the last seven days, sorted by lead_score.',
  filters: leadFilters,
  record: Lead.schema,
  // Read before the rows are: a lead that somebody claimed before this list was asked for is never in it.
  list: async (asked) => ({
    what: 'lead',
    rank: { column: 'lead_score', direction: 'DESC' },
    filters: unclaimed(matching(asked), await asked.claims()),
    note: 'Public records only; no skip-traced contact data.',
  }),
});

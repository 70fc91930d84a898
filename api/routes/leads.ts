/** Off-market seller leads. */
import { Lead } from '../../models/marts/leads.ts';
import { listRoute, Where } from '../list.ts';
import { choiceParam, integerParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';

/** Days within which a lead's signal must have been verified. */
const LEAD_DAYS = 7;

/** Leads that may be sold on this day: verified within seven days, the sale not past. Told when serving, not only when built. */
export const available = (today: string): Where => new Where()
  .add(`CAST(last_verified AS DATE) >= CAST(? AS DATE) - ${LEAD_DAYS}`, today)
  .add('sale_date IS NULL OR sale_date >= CAST(? AS DATE)', today);

export const leads = listRoute({
  path: '/api/leads', price: PRICES['/api/leads'],
  about: 'Scored off-market seller leads from public records, each verified within the last seven days, sorted by lead_score.',
  filters: {
    county: textParam('Part of the county name, upper or lower case.'),
    min_score: integerParam('Lowest lead_score.', 0, 100),
    lead_type: choiceParam(['tax_delinquent', 'sheriff_sale_auction'], 'Kind of lead.'),
  },
  record: Lead.schema,
  list: (asked) => ({
    table: 'leads', what: 'lead', rank: { column: 'lead_score', direction: 'DESC' },
    where: available(asked.today)
      .when('contains(lower(county), lower(?))', asked.params.county)
      .when('lead_score >= ?', asked.params.min_score)
      .when('lead_type = ?', asked.params.lead_type),
    note: 'Public records only; no skip-traced contact data.',
  }),
});

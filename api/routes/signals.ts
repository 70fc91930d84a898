/** Distress signals: parcels on county delinquency lists. */
import { Signal } from '../../models/marts/signals.ts';
import { Filters } from '../snapshot/filters.ts';
import { listRoute } from './list_route.ts';
import { flagParam, numberParam, textParam } from './params.ts';
import { PRICES } from './prices.ts';

/** What is no longer on its county's list is not served; signal_state says where the county is no longer read. */
export const standing = (): Filters => new Filters('signals').and('signal_state', '<>', 'removed');

export const signals = listRoute({
  path: '/api/signals',
  price: PRICES['/api/signals'],
  about: 'County tax-delinquency signals, ranked by amount.',
  filters: {
    county: textParam('Part of the county name, upper or lower case.'),
    signal_type: textParam('Kind of signal; tax_delinquent is the value that occurs.'),
    min_amount: numberParam('Lowest delinquent amount, USD.'),
    has_address: flagParam('true: only rows with a street address; false: only rows without.'),
  },
  record: Signal.schema,
  list: (asked) => ({
    what: 'signal',
    rank: { column: 'amount', direction: 'DESC' },
    filters: standing()
      .containing('county', asked.params.county)
      .and('signal_type', '=', asked.params.signal_type)
      .and('amount', '>=', asked.params.min_amount)
      .and('has_address', '=', asked.params.has_address),
  }),
});

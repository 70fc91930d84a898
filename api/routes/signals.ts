/** Distress signals: parcels on county delinquency lists. */
import { Signal } from '../../models/marts/signals.ts';
import { listRoute, NUMBER, Where } from '../list.ts';
import { flagParam, numberParam, textParam } from '../params.ts';
import { PRICES } from '../prices.ts';

/** What is no longer on its county's list is not served; signal_state says where the county is no longer read. */
export const standing = (): Where => new Where().only("signal_state <> 'removed'");

export const signals = listRoute({
  path: '/api/signals', price: PRICES['/api/signals'],
  about: 'County tax-delinquency signals, ranked by amount.',
  filters: {
    county: textParam('Part of the county name, upper or lower case.'),
    signal_type: textParam('Kind of signal; tax_delinquent is the value that occurs.'),
    min_amount: numberParam('Lowest delinquent amount, USD.'),
    has_address: flagParam('true: only rows with a street address; false: only rows without.'),
  },
  record: Signal.schema,
  list: (asked) => ({
    table: 'signals', what: 'signal', rank: { column: 'amount', direction: 'DESC' },
    where: standing()
      .when('contains(lower(county), lower(?))', asked.params.county)
      .when('signal_type = ?', asked.params.signal_type)
      .when(`amount >= ${NUMBER}`, asked.params.min_amount)
      .when('has_address = ?', asked.params.has_address),
  }),
});

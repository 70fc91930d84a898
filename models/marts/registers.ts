import { date, defineRecord, instant, integer } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { REGISTER } from './filings.ts';

export default defineMart({
  record: defineRecord('register', 'One row per register of businesses.', ['source'], {
    source: REGISTER,
    filings: integer('Its filings.', { unit: 'filings' }),
    first_seen: instant('First read of a filing of it.'),
    last_filing_date: date('Latest filing date when a filing was first seen.', {
      absent: 'all its filings take effect after the day on which they were first seen',
    }),
  }),
  publish: { orderBy: ['source'] },
});

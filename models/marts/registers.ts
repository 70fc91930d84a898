import { date, defineRecord, instant, integer } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { REGISTER } from './filings.ts';

export default defineMart({
  record: defineRecord('register', 'One row per register: what the feed has of it so far.', ['source'], {
    source: REGISTER,
    filings: integer('Number of its filings.', { unit: 'filings' }),
    first_seen: instant('When this service first read a filing of it.'),
    last_filing_date: date('Latest filing date that it had reached when a filing was first seen.', {
      absent: 'all its filings take effect after the day on which they were first seen',
    }),
  }),
  publish: { orderBy: ['source'] },
});

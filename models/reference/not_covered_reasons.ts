import { date, defineRecord, oneOf, text } from '../../lib/record.ts';
import { COVERED_KINDS } from '../../sources/kinds.ts';

/** What was looked for where no source of a kind is declared, and what was found. */
export default defineRecord('not_covered_reason', 'One row per metro and kind of record.', ['metro', 'kind'], {
  metro: text('Name of the metro, as in metro_counties.'),
  kind: oneOf(COVERED_KINDS, 'Kind of record.', { absent: 'the row is about all kinds without a row of their own' }),
  looked_for: text('Data that was looked for.'),
  finding: text('Result of the search.'),
  read_on: date('Day on which it was looked for.'),
});

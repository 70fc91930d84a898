import { defineRecord, integer, oneOf, percent, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_join_rate',
    'One row per county source and question: the share of its rows that have an address, a ZIP, or a parcel in the ' +
      "county's other source.",
    ['source', 'question'],
    {
      source: text('Name of the source.'),
      question: oneOf(['address', 'zip', 'parcel'], 'Key that is counted.'),
      answered: integer('Rows of the source that the question is about.', { unit: 'rows' }),
      share_pct: percent('Share of these rows that have the key.'),
      least_pct: percent('Share that the adapter expects at least.', { absent: 'the adapter expects none' }),
      before_pct: percent('The share in the previous snapshot.', { absent: 'the previous snapshot does not have it' }),
      finding: text('The problem with the share, in one sentence.', {
        absent: 'there is no problem, or there are fewer than 25 rows',
      }),
    },
  ),
});

import { defineRecord, integer, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Filing } from '../../marts/filings.ts';

export default defineModel({
  record: defineRecord(
    'int_agent',
    'One row per register and agent name in the filings of this feed.',
    ['source', 'name'],
    {
      ...fieldsOf(Filing, ['source']),
      name: text('Name of the agent as published.'),
      filings: integer('Filings of that agent, in any spelling of case and punctuation.', { unit: 'filings' }),
    },
  ),
});

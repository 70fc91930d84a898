import { defineRecord, integer, text } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Filing } from '../marts/filings.ts';

export default defineModel({
  record: defineRecord(
    'int_agent',
    'One row per register and name of an agent, as filings of this feed have it.',
    ['source', 'name'],
    {
      ...fieldsOf(Filing, ['source']),
      name: text('Name of the agent as published.'),
      filings: integer('Filings with that agent, however its name is punctuated.', { unit: 'filings' }),
    },
  ),
  audits: [],
});

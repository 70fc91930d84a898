import { defineRecord, integer, text } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { REGISTER } from './filings.ts';

export default defineMart({
  record: defineRecord(
    'agent',
    'One row per agent that filings of a register name, or have named.',
    ['source', 'agent'],
    {
      source: REGISTER,
      agent: text("Agent's name in capitals; one space replaces all but letters and digits."),
      filings: integer('Filings with this agent; 0 if the last one now names another.', { unit: 'filings' }),
    },
  ),
  publish: { orderBy: ['source', 'agent'], parts: { before: 'int_agents_before' } },
});

import { defineRecord, json } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Lead } from './leads.ts';
import { Steps } from './reports.ts';

export const LeadSteps = defineRecord(
  'lead_steps',
  'One row per lead: its score and the parts of it as formulas over named inputs. make explain shows them.',
  ['id'],
  {
    ...fieldsOf(Lead, ['id']),
    steps: json(Steps, 'The parts in order, and lead_score, in the form of recompute in reports.'),
  },
);

export default defineMart({
  record: LeadSteps,
  publish: {
    orderBy: ['id'],
    references: { id: 'leads' },
    notReleased: 'an exclusive lead is sold once, so no copy of its figures may exist elsewhere',
  },
});

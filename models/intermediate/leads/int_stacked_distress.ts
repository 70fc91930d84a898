import { z } from 'zod';
import { defineRecord, integer, json, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_stacked_distress',
    'One row per record that may be a lead and has other records in force of its property.',
    ['record_id'],
    {
      record_id: text('A listed tax delinquency or an upcoming sale.'),
      citations: json(z.array(z.record(z.string(), z.string())), 'The other records, as in corroboration of a lead.'),
      other_kinds: json(z.array(z.string()), 'Kinds of the other records.'),
      further_kinds: integer('Independent kinds of distress besides its own.', { unit: 'kinds' }),
      stacked_points: integer('Points for the kinds that no other part of the score has points for.', {
        unit: 'points',
      }),
      stacked_text: text('The records that earn these points.', { absent: 'stacked_points is 0' }),
    },
  ),
});

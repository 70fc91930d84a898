/** Rows of the files that the operator keeps by hand: corrections, and what people asked to have left out. */
import { date, defineRecord, text } from '../../lib/record.ts';

export const Correction = defineRecord(
  'correction',
  'One row per field of a staged row that the operator put right.',
  ['record', 'field'],
  {
    record: text(
      'The staged row: its source and its key, with slashes between them, such as oh_stark_tax/39151/0212345.',
    ),
    field: text('Name of the column in the staged row, such as amount.'),
    value: text('The right value.', { absent: 'the right value is that there is none' }),
    page: text('Page that shows the right value.'),
    found_on: date('Day on which the error was found.'),
    found_by: text('Who found it.', { personal: true }),
  },
);

export const Suppression = defineRecord(
  'suppression',
  'One row per record or name that is left out of everything that is published.',
  ['subject'],
  {
    subject: text('Id of a record as published, or a name as a page prints it: its length and its hash.'),
    asked_on: date('Day on which the person asked.'),
    reason: text('Reason, in the words of the operator.', { absent: "it stays in the operator's file" }),
  },
);

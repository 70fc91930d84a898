import { defineRecord, integer, text } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { addressParts } from '../fields.ts';

export default defineModel({
  record: defineRecord(
    'stg_address',
    'One row per line of a street as published, normalized.',
    ['street', 'line_number'],
    {
      street: text('Street as published, without blanks at its ends.'),
      line_number: integer('Position of the address in the street, from 1.'),
      ...addressParts('the line has no house number'),
    },
  ),
});

import { date, defineRecord, oneOf, text } from '../../lib/record.ts';

/**
 * Parcel numbers as counties print them, with the key by which rows are compared. The macro parcel_key_of implements
 * the rules; a test compares it with the key of each row. Other counties: letters and digits of the number.
 */
export default defineRecord(
  'parcel_format',
  'One row per county and form in which its parcel numbers are printed.',
  ['county_fips', 'form'],
  {
    county_fips: text('Five-digit county FIPS.'),
    county: text('County and state.'),
    form: text('Name of the form.'),
    printed: text('A number in this form. Most of them are invented.'),
    parcel_key: text('Its key.'),
    rule: text('Parts of the number, and the parts that the key keeps.'),
    confirmed: oneOf(
      ['publisher', 'recorded', 'third_party', 'unconfirmed'],
      'Evidence of the form. publisher: its documentation says so; recorded: rows of a source show it; third_party: ' +
        'a public project that reads the source says so; unconfirmed: assumed.',
    ),
    source: text('Document or page in which the form was read.'),
    read_on: date('Day on which it was read.'),
  },
);

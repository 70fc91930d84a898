import { defineRecord, flag, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

export default defineModel({
  record: defineRecord(
    'int_property_record',
    'One row per signal or auction, today or earlier, with what identifies its property.',
    ['record_id'],
    {
      record_id: text('Signal or auction.'),
      source: text('Source of the record.'),
      county_fips: text('County.'),
      lead_id: text('Lead of the record, whether or not it qualifies as one.', {
        absent: 'a signal that forms no lead: its type is not tax_delinquent',
      }),
      case_lead_id: text('Lead of the case, if its parcel is not known.', { absent: 'the record is a signal' }),
      parcel_key: text('Normalized parcel number.', { absent: 'not printed, or a placeholder' }),
      case_key: text('Normalized case number.', { absent: 'a signal, or a placeholder' }),
      zip: text('Five-digit ZIP.', { absent: 'not known' }),
      city: text('City, upper case.', { absent: 'not known' }),
      address_key: text('Normalized address.', {
        absent: 'there is none with a house number, or it is the address of a building with condominiums',
      }),
      is_current: flag('A listed delinquency or an upcoming sale.'),
    },
  ),
});

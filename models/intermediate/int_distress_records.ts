import { date, defineRecord, flag, instant, money, oneOf, text } from '../../lib/record.ts';
import { defineModel } from '../contract.ts';
import { addressParts, fieldsOf } from '../fields.ts';
import { Signal } from '../marts/signals.ts';

export const DistressRecord = defineRecord(
  'int_distress_record',
  'One row per county record in force today: a listed delinquency or an upcoming sale.',
  ['kind', 'record_id'],
  {
    kind: oneOf(['tax_delinquent', 'sheriff_sale'], 'Kind of distress.'),
    record_id: text('Signal or auction.'),
    county_fips: text('County.'),
    county: text('County name and state.'),
    parcel_id: text('Parcel number as printed.', { absent: 'not printed' }),
    parcel_key: text('Normalized parcel number.', { absent: 'parcel_id is null' }),
    address: text('Address as printed.', { absent: 'not printed, and not found elsewhere' }),
    city: text('City.', { absent: 'not printed' }),
    ...fieldsOf(Signal, ['city_basis']),
    zip: text('Five-digit ZIP.', { absent: 'not printed' }),
    ...addressParts('there is no address with a house number'),
    amount: money('Delinquent amount.', { absent: 'a sale, or the list has no amount' }),
    sale_date: date('Day of the sale.', { absent: 'a delinquency' }),
    source_url: text('Public page.'),
    last_seen: instant('When the row was last read.'),
    is_condominium: flag('The parcel is one home of a building.'),
  },
);

export default defineModel({ record: DistressRecord, audits: [] });

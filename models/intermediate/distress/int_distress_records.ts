import { date, defineRecord, flag, instant, money, oneOf, text } from '../../../lib/record.ts';
import { RECORD_KINDS } from '../../../sources/kinds.ts';
import { defineModel } from '../../contract.ts';
import { addressParts, fieldsOf, INDEPENDENT_KINDS } from '../../fields.ts';
import { Signal } from '../../marts/signals.ts';

export const DistressRecord = defineRecord(
  'int_distress_record',
  'One row per public record in force today: a listed signal or an upcoming sale.',
  ['kind', 'record_id'],
  {
    kind: oneOf(RECORD_KINDS, 'Kind of distress.'),
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
    amount: money('Amount owed or claimed.', { absent: 'a sale, or the source publishes none' }),
    ...fieldsOf(Signal, ['filed_on']),
    sale_date: date('Day of the sale.', { absent: 'a signal' }),
    ...fieldsOf(Signal, ['description']),
    counts_as: oneOf(INDEPENDENT_KINDS, 'Records with one value tell of one event.'),
    source_url: text('Public page.'),
    last_seen: instant('When the row was last read.'),
    is_condominium: flag('The parcel is one home of a building.'),
  },
);

export default defineModel({ record: DistressRecord });

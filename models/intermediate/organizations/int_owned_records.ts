import { defineRecord, instant, money, oneOf, text } from '../../../lib/record.ts';
import { RECORD_KINDS } from '../../../sources/kinds.ts';
import { Parcel } from '../../../sources/rows/parcel.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf, INDEPENDENT_KINDS, ORGANIZATION_KINDS } from '../../fields.ts';

export const OwnedRecord = defineRecord(
  'int_owned_record',
  'One row per record in force or active listing of a property whose owner is an organization.',
  ['record_id'],
  {
    record_id: text('Signal, auction or deal.'),
    kind: oneOf([...RECORD_KINDS, 'listing'], 'Its kind.'),
    counts_as: oneOf(INDEPENDENT_KINDS, 'Independent kind of distress that it counts as.', { absent: 'a listing' }),
    county_fips: text('County.'),
    county: text('County name and state.'),
    property: text('Group of records of the property, as in int_property_groups.'),
    parcel_id: text('Parcel number.', { absent: 'not printed' }),
    address: text('Street address.', { absent: 'not printed' }),
    city: text('City.', { absent: 'not printed' }),
    amount: money('Amount owed or claimed.', { absent: 'a sale or a listing, or not published' }),
    source_url: text('Public page.'),
    last_seen: instant('When the record was last read.'),
    owner_name: text('Owner as published.'),
    owner_key: text('Its normalized name.'),
    owner_kind: oneOf(ORGANIZATION_KINDS, 'Kind of organization.'),
    ...fieldsOf(Parcel, ['mail_street', 'mail_city', 'mail_state', 'mail_zip']),
  },
);

export default defineModel({ record: OwnedRecord });

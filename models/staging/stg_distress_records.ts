import { defineRecord, oneOf, text } from '../../lib/record.ts';
import { DistressRecord } from '../../sources/rows/distress_record.ts';
import { defineModel } from '../contract.ts';
import { addressParts, fieldsOf, MAIL_KINDS } from '../fields.ts';
import { Provenance } from '../inputs.ts';

const NO_MAIL = 'not published, or a post office box';

export default defineModel({
  record: defineRecord(
    'stg_distress_record',
    'One row per kind, record number and parcel of each source, with normalized parcel number and addresses.',
    ['source', 'signal_id'],
    {
      signal_id: text('Signal of the row.'),
      ...fieldsOf(DistressRecord, ['county_fips', 'county', 'signal_type', 'record_number']),
      parcel_id: text('Parcel number as published.', { absent: 'not published, or a placeholder' }),
      parcel_key: text('Normalized parcel number.', { absent: 'parcel_id is null' }),
      ...fieldsOf(DistressRecord, ['owner_name', 'street', 'city']),
      state: text('State of the county.'),
      zip: text('Five-digit ZIP of the property.', { absent: 'not published' }),
      ...addressParts('the record has no street address with a house number'),
      ...fieldsOf(DistressRecord, ['mail_street', 'mail_city', 'mail_state', 'mail_zip']),
      mail_street_key: text('Normalized street of the mailing address.', { absent: NO_MAIL }),
      mail_house: text('House number of the mailing address.', { absent: NO_MAIL }),
      mail_kind: oneOf(MAIL_KINDS, 'Kind of the mailing address.'),
      ...fieldsOf(DistressRecord, ['amount', 'amount_basis', 'filed_on', 'last_activity_on', 'record_state']),
      ...fieldsOf(DistressRecord, ['state_raw', 'description', 'plaintiff', 'tax_year', 'property_class']),
      ...Provenance.schema.shape,
    },
  ),
});

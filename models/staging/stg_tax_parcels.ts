import { defineRecord, oneOf, text } from '../../lib/record.ts';
import { TaxParcel } from '../../sources/rows/tax_parcel.ts';
import { defineModel } from '../contract.ts';
import { addressParts, fieldsOf, MAIL_KINDS } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_tax_parcel',
    "One row per parcel on a county's delinquency list, with normalized parcel number and addresses.",
    ['source', 'county_fips', 'parcel_id'],
    {
      signal_id: text('Signal of the row.'),
      ...fieldsOf(TaxParcel, ['county_fips', 'county']),
      parcel_id: text('Parcel number as the county prints it.'),
      parcel_key: text('Normalized parcel number.'),
      ...fieldsOf(TaxParcel, ['owner_name', 'street', 'city']),
      state: text('State of the county.'),
      zip: text('Five-digit ZIP of the property.', { absent: 'not published' }),
      ...addressParts('the list publishes no street address with a house number'),
      ...fieldsOf(TaxParcel, ['mail_street', 'mail_city', 'mail_state', 'mail_zip']),
      mail_street_key: text('Normalized street of the mailing address.', {
        absent: 'not published, or a post office box',
      }),
      mail_house: text('House number of the mailing address.', { absent: 'not published, or a post office box' }),
      mail_kind: oneOf(MAIL_KINDS, 'Kind of the mailing address.'),
      ...fieldsOf(TaxParcel, ['amount', 'amount_basis', 'years_delinquent', 'certified_year', 'county_value']),
      ...fieldsOf(TaxParcel, ['property_class']),
      ...Provenance.schema.shape,
    },
  ),
});

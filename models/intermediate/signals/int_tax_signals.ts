import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Signal } from '../../marts/signals.ts';

/** The fields of a signal that today's reads give; the others follow from them and the previous snapshot. */
export const todaysFields = fieldsOf(Signal, [
  'signal_type',
  'county',
  'address',
  'owner_name',
  'parcel_id',
  'amount',
  'source_url',
  'last_seen',
  'id',
  'signal_state',
  'state_reason',
  'county_fips',
  'parcel_key',
  'address_basis',
  'city',
  'city_basis',
  'state',
  'zip',
  'zip_basis',
  'address_key',
  'street_key',
  'house_low',
  'house_high',
  'unit_key',
  'mail_street',
  'mail_city',
  'mail_state',
  'mail_zip',
  'owner_location',
  'months_delinquent',
  'years_basis',
  'certified_year',
  'county_value',
  'property_class',
  'record_number',
  'filed_on',
  'last_activity_on',
  'state_raw',
  'description',
  'plaintiff',
  'tax_year',
  'amount_basis',
  'source',
  'page_sha256',
  'page_row',
]);

export default defineModel({
  record: defineRecord(
    'int_tax_signal',
    "One row per parcel that is on a county's delinquency list today.",
    ['id'],
    todaysFields,
  ),
  view: true,
});

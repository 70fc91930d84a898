import { defineRecord, flag, oneOf } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';
import { DistressRecord } from './int_distress_records.ts';

export default defineModel({
  record: defineRecord(
    'int_distress_match',
    'One row per property and county record that matches it, or may.',
    ['id', 'kind', 'record_id'],
    {
      ...fieldsOf(Deal, ['id']),
      ...fieldsOf(DistressRecord, ['kind', 'record_id']),
      match_basis: oneOf(
        [
          'address_exact',
          'parcel_exact',
          'condominium_of_building',
          'address_range',
          'address_without_unit',
          'address_without_zip',
          'address_exact_place_unknown',
        ],
        'Key that property and record share.',
      ),
      is_exact: flag('True for a match; false for a candidate, which scores nothing.'),
    },
  ),
});

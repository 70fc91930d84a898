import { defineRecord, text } from '../../../lib/record.ts';
import { defineModel, never } from '../../contract.ts';
import { roll } from '../../deal/roll.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord('int_property_roll', 'One row per property: its parcel on a parcel layer or tax roll.', ['id'], {
    ...fieldsOf(Deal, ['id']),
    ...roll,
    county_fips: text('Five-digit county FIPS of the parcel.', { absent: 'roll_status is not matched' }),
    parcel_key: text('Normalized number of the parcel.', { absent: 'roll_status is not matched' }),
  }),
  audits: [
    never(
      'int_property_rolls',
      'parcel_as_said',
      'a property has a parcel exactly if it is matched, and no figure of a roll without one',
      `(roll_parcel_id IS NULL) <> (roll_status <> 'matched')
        OR (roll_source IS NULL) <> (roll_parcel_id IS NULL)
        OR (roll_source_url IS NULL) <> (roll_parcel_id IS NULL)
        OR (last_sale_basis IS NULL) <> (last_sale_date IS NULL AND last_sale_price IS NULL)
        OR (roll_parcel_id IS NULL
          AND coalesce(last_sale_date::varchar, last_sale_price::varchar, assessed_market_value::varchar) IS NOT NULL)`,
    ),
  ],
});

import { defineRecord, oneOf } from '../../../lib/record.ts';
import { BUILDING_SIZES, VINTAGES } from '../../references.ts';
import { defineModel } from '../../contract.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord(
    'int_building_cell',
    'One row per property: the size and vintage under which the reference tables describe its building.',
    ['id'],
    {
      ...fieldsOf(Deal, ['id']),
      size: oneOf(BUILDING_SIZES, 'Size of the building, in units.', { absent: 'units is null' }),
      vintage: oneOf([...VINTAGES, 'any'], 'Years in which it was built. any: the year is unknown.', {
        absent: 'units is null',
      }),
    },
  ),
});

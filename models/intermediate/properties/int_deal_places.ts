import { defineRecord } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';
import { place } from '../../deal/place.ts';
import { fieldsOf } from '../../fields.ts';
import { Deal } from '../../marts/deals.ts';

export default defineModel({
  record: defineRecord('int_deal_place', 'One row per property for sale: its county and its point.', ['id'], {
    ...fieldsOf(Deal, ['id']),
    ...place,
  }),
});

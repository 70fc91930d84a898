import { defineRecord, text, uuid } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';

const PropertyKey = defineRecord(
  'property_key',
  'One row per record and key of its property. Records that share a key belong to one property.',
  ['record_id', 'property_key'],
  {
    record_id: uuid('Id of a listed signal, an upcoming auction, a deal, or a sold lead.'),
    property_key: text(
      'parcel: county and parcel; case: county and court case; zip, city, county: that place, number and street; ' +
        'lead, record: the id of a lead or record without any of these keys.',
    ),
  },
);

export default defineMart({
  record: PropertyKey,
  publish: { orderBy: ['record_id', 'property_key'], notReleased: 'it names the properties of sold leads' },
});

import { defineRecord, text, uuid } from '../../lib/record.ts';
import { defineMart, never } from '../contract.ts';

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
  audits: [
    // Without keys, the server would claim the lead without its property.
    {
      name: 'property_keys.of_every_lead',
      about: 'every lead has a key of its property',
      blocking: true,
      sql: `SELECT id FROM leads
        WHERE coalesce(signal_id, auction_id) NOT IN (SELECT record_id FROM property_keys)`,
    },
    never(
      'property_keys',
      'separable',
      'no key contains the separator of a list of keys',
      "contains(property_key, '|')",
    ),
    {
      name: 'property_keys.none_sold',
      about: 'no lead is of a sold property',
      blocking: true,
      sql: `SELECT leads.id, property_key FROM leads
        JOIN property_keys ON record_id = coalesce(signal_id, auction_id)
        WHERE property_key IN (SELECT property_key FROM sold_properties)`,
    },
  ],
  publish: {
    orderBy: ['record_id', 'property_key'],
    notReleased: 'it names the properties of sold leads',
  },
});

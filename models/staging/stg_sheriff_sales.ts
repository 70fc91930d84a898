import { defineRecord, text } from '../../lib/record.ts';
import { SheriffSale } from '../../sources/rows/sheriff_sale.ts';
import { defineModel } from '../contract.ts';
import { addressParts, fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_sheriff_sale',
    "One row per case, parcel and sale day on the sale's page.",
    ['source', 'county_fips', 'case_number', 'parcel_id', 'sale_date'],
    {
      auction_id: text('Auction of the row.'),
      ...fieldsOf(SheriffSale, ['auction_type', 'county_fips', 'county', 'item_id', 'case_number']),
      case_key: text('Normalized case number.'),
      parcel_id: text('Parcel number as printed.', { absent: 'not published' }),
      parcel_key: text('Normalized parcel number.', { absent: 'not published' }),
      ...fieldsOf(SheriffSale, ['street', 'city', 'state', 'zip']),
      ...addressParts('the page prints no street address with a house number'),
      ...fieldsOf(SheriffSale, ['sale_date', 'status', 'case_status_raw', 'slot_raw', 'sale_type_raw', 'sale_kind']),
      ...fieldsOf(SheriffSale, ['sale_round', 'appraised_value', 'opening_bid', 'judgment_amount', 'assessed_value']),
      ...fieldsOf(SheriffSale, ['plaintiff_max_bid', 'plaintiff_max_bid_raw', 'certificate_number', 'deposit']),
      ...fieldsOf(SheriffSale, ['sold_amount', 'plaintiff', 'defendant']),
      ...Provenance.schema.shape,
    },
  ),
});

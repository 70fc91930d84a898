import {
  because,
  cause,
  causesOf,
  date,
  defineRecord,
  flag,
  instant,
  integer,
  money,
  oneOf,
  text,
  uuid,
} from '../../lib/record.ts';
import { defineMart, keepsRows } from '../contract.ts';
import { fieldsOf, readFrom } from '../fields.ts';
import { Listing } from '../../sources/rows/listing.ts';

const fields = {
  deal_id: uuid('Deal of the latest version of the listing, also for versions with an earlier address.'),
  source: readFrom.source,
  listing_id: text("The site's own identifier."),
  version: integer('1 for the first version.'),
  is_latest: flag('True for the current version.'),
  change: oneOf(
    ['added', 'relisted', 'price_cut', 'price_rise', 'price_published', 'price_hidden', 'availability', 'details'],
    'Change that began this version; the first that applies.',
  ),
  // As on the site
  ...fieldsOf(Listing, ['listing_url', 'street', 'city', 'state', 'zip', 'list_price', 'units', 'units_0br']),
  ...fieldsOf(Listing, ['units_1br', 'units_2br', 'units_3br', 'units_4br', 'cap_rate', 'noi', 'annual_taxes']),
  ...fieldsOf(Listing, ['year_built', 'property_type', 'listed_on', 'unread_fields', 'availability']),
  // Time
  version_first_seen: instant('First read of this version.'),
  version_last_seen: instant('Last read of this version.', { follows: 'reads' }),
  listing_first_seen: instant('First read of the listing, or of the earlier one that it continues.'),
  first_price: money('First price of the listing, or of the earlier one that it continues.', {
    absent: because(cause('price_missing', 'no price was ever published')),
  }),
  relisted: flag('True if the listing returned, or continues an earlier one.'),
  gone_on: date('Day of the run that found the listing gone.', {
    absent: because(cause('not_gone_before_next_version', 'the site shows it until now, or until its next version')),
  }),
  source_url: readFrom.source_url,
  page_sha256: readFrom.page_sha256,
  page_row: readFrom.page_row,
};

export const ListingVersion = defineRecord(
  'listing_version',
  'One row per version of a listing: a version lasts while the site shows the same values.',
  ['source', 'listing_id', 'version'],
  fields,
  causesOf(fields),
);

export default defineMart({
  record: ListingVersion,
  audits: [keepsRows('listing_history', ['source', 'listing_id', 'version'], 'version of a listing')],
  publish: { orderBy: ['source', 'listing_id', 'version'], references: { deal_id: 'deals' } },
});

import { date, defineRecord, flag, instant, integer, money, oneOf, text } from '../../lib/record.ts';
import { defineModel, never } from '../contract.ts';
import { keepsRows } from '../drift.ts';
import { fieldsOf, readFrom } from '../fields.ts';
import { Listing } from '../../sources/rows/listing.ts';

export const ListingVersion = defineRecord(
  'listing_version',
  'One row per version of a listing: as long as what the site shows stays the same, one row. The row with is_latest is how it stands.',
  ['source', 'listing_id', 'version'],
  {
    deal_id: text('The deal the listing belongs to.'),
    source: readFrom.source,
    listing_id: text("The site's own identifier."),
    version: integer('1 for the first version seen.'),
    is_latest: flag('The version that stands.'),
    change: oneOf(
      ['added', 'relisted', 'price_cut', 'price_rise', 'price_published', 'price_hidden', 'availability', 'details'],
      'What began this version; the first that applies.',
    ),
    // The version as the site showed it
    ...fieldsOf(Listing, [
      'listing_url',
      'street',
      'city',
      'state',
      'zip',
      'list_price',
      'units',
      'cap_rate',
      'noi',
      'year_built',
      'property_type',
      'listed_on',
      'availability',
    ]),
    // Time
    version_first_seen: instant('When this version was first read.'),
    version_last_seen: instant('When this version was last read.'),
    listing_first_seen: instant(
      'When the listing was first read; of the earlier listing where the property was relisted within the declared days.',
    ),
    first_price: money('First price seen of the listing, or of the earlier one it continues.', {
      absent: 'no price was ever published',
    }),
    relisted: flag(
      'The listing had gone and came back, or continues one of the same property that had gone from this site.',
    ),
    gone_on: date('Day of the run that no longer found it on a good read of the site.', {
      absent: 'the listing was shown until now, or until its next version',
    }),
    source_url: readFrom.source_url,
    page_sha256: readFrom.page_sha256,
    page_row: readFrom.page_row,
  },
);

export default defineModel({
  record: ListingVersion,
  audits: [
    {
      name: 'listing_history.one_latest',
      about: 'a listing has exactly one latest version',
      blocking: true,
      sql: 'SELECT source, listing_id, count(*) FILTER (WHERE is_latest) AS latest FROM listing_history GROUP BY ALL HAVING latest <> 1',
    },
    {
      name: 'listing_history.versions_follow',
      about: 'the versions of a listing are numbered from 1 on without a gap, the latest last',
      blocking: true,
      sql: `SELECT source, listing_id FROM listing_history GROUP BY ALL HAVING min(version) <> 1 OR max(version) <> count(*) OR max(version) <> max(version) FILTER (WHERE is_latest)`,
    },
    keepsRows('listing_history', ['source', 'listing_id', 'version'], 'a version of a listing'),
    never(
      'listing_history',
      'seen_in_order',
      'a version is not last seen before it is first seen',
      'version_last_seen < version_first_seen OR listing_first_seen > version_first_seen',
    ),
  ],
  publish: { orderBy: ['source', 'listing_id', 'version'] },
});

import { z } from 'zod';
import {
  because,
  cause,
  causesOf,
  defineRecord,
  flag,
  instant,
  integer,
  json,
  oneOf,
  percent,
  text,
} from '../../lib/record.ts';
import { COVERED_KINDS } from '../../sources/kinds.ts';
import { defineMart } from '../contract.ts';
import { SourceRead } from '../inputs.ts';
import { INSIDE } from '../inside.ts';

const STATUSES = ['covered', 'partly_covered', 'not_covered'] as const;
const IF_ROLL = "kind = 'parcel_roll'";
const NOT_LISTED = cause('no_rows_in_force', 'listed_rows is 0');
const NO_ROWS = because(NOT_LISTED);
const NO_SOURCE = because(cause('no_source_read', 'no source is read'));

const County = z.strictObject({
  county_fips: z.string(),
  county: z.string(),
  is_core: z.boolean(),
  status: z.enum(['covered', 'partly_covered']),
  covered_city: z
    .string()
    .nullable()
    .meta({ description: 'The only city of the county that is covered. Null when: the whole county is.' }),
});

const { shape } = SourceRead.schema;
const Source = z.strictObject({
  source: shape.source,
  title: shape.title,
  home: shape.home,
  county: shape.county,
  covered_city: shape.covered_city,
  status: shape.status,
  last_good_at: shape.last_good_at,
  age_days: shape.age_days,
  every_days: shape.every_days,
  terms_basis: shape.terms_basis,
  terms_note: shape.terms_note,
  terms_url: shape.terms_url,
});

const fields = {
  metro: text('Largest city of the metro. A county outside every metro has its own row.'),
  kind: oneOf(
    COVERED_KINDS,
    "Kind of record: a signal_type, an auction_type, or parcel_roll, the assessor's roll of all parcels.",
  ),
  status: oneOf(
    STATUSES,
    'covered: the sources show all records in every county of the metro, so a property without one has ' +
      'none; partly_covered: only some counties, cities or records; not_covered: no source is read.',
  ),
  core_status: oneOf(STATUSES, 'status of the county of the largest city alone.'),
  has_listings: flag('True if listing sites of the metro are read.'),
  counties_total: integer('Counties of the metro.', { unit: 'counties' }),
  counties: json(z.array(County), 'Counties with a source, and its city if it covers only one.', {
    inside: INSIDE.counties,
  }),
  sources: json(z.array(Source), 'Sources of the kind, with their terms.', { inside: INSIDE.sources }),
  row_count: integer('Rows, today or earlier.', { unit: 'rows' }),
  listed_rows: integer('Rows in force: listed signals, upcoming sales, parcels of the roll.', { unit: 'rows' }),
  since: instant('First read of a row.', {
    absent: because(cause('not_recorded_of_rolls', 'kind is parcel_roll', IF_ROLL), cause('no_rows', 'row_count is 0')),
  }),
  newest_read: instant('Last good read, of the source read last.', { absent: NO_SOURCE }),
  oldest_read: instant('Last good read, of the source read longest ago.', { absent: NO_SOURCE }),
  age_days: integer('Whole days from oldest_read to the data clock.', {
    absent: NO_SOURCE,
    unit: 'days',
    follows: 'day',
  }),
  address_pct: percent('Share of listed_rows with a street and house number.', { absent: NO_ROWS }),
  zip_pct: percent('Share of listed_rows with a ZIP.', { absent: NO_ROWS }),
  parcel_pct: percent("Share of listed_rows whose parcel is in the county's parcel layer or roll.", {
    absent: because(
      cause('is_the_roll', 'kind is parcel_roll', IF_ROLL),
      { ...NOT_LISTED, if: 'listed_rows = 0' },
      cause('no_parcel_layer_read', 'no parcel layer of its counties is read'),
    ),
  }),
  listings: integer('Active listings in the metro.', { unit: 'listings' }),
  listings_matched: integer('Active listings with such a record at exactly their address or parcel.', {
    unit: 'listings',
  }),
  match_pct: percent('listings_matched over listings.', { absent: because(cause('no_listings', 'listings is 0')) }),
  why: text('Reason for not_covered.', {
    absent: because(cause('covered_or_partly_covered', 'status is covered or partly_covered')),
  }),
};

export const Coverage = defineRecord(
  'coverage',
  'One row per metro and kind of record, with the age and join rates of its rows.',
  ['metro', 'kind'],
  fields,
  causesOf(fields),
);

export default defineMart({ record: Coverage, publish: { orderBy: ['metro', 'kind'] } });

import { z } from 'zod';
import { defineRecord, flag, instant, integer, json, oneOf, percent, text } from '../../lib/record.ts';
import { COVERED_KINDS, KIND_MEANINGS } from '../../sources/kinds.ts';
import { coverageCauses } from '../absence/coverage.ts';
import { defineMart, never } from '../contract.ts';
import { SourceRead } from '../inputs.ts';

const STATUSES = ['covered', 'partly_covered', 'not_covered'] as const;
const NO_ROWS = 'listed_rows is 0';

const County = z.strictObject({
  county_fips: z.string(),
  county: z.string(),
  is_core: z.boolean(),
  status: z.enum(['covered', 'partly_covered']),
  covered_city: z.string().nullable().meta({
    description: 'The only city of the county that is covered. Null when: the whole county is.',
  }),
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

export const Coverage = defineRecord(
  'coverage',
  'One row per metro and kind of record: sources, number of rows, age and join rates.',
  ['metro', 'kind'],
  {
    metro: text('Name of the metro: its largest city. A county outside every metro has its own row.'),
    kind: oneOf(
      COVERED_KINDS,
      `Kind of record. ${COVERED_KINDS.map((kind) => `${kind}: ${KIND_MEANINGS[kind]}`).join(' ')}`,
    ),
    status: oneOf(
      STATUSES,
      'covered: the sources show all records of this kind in every county of the metro; partly_covered: only ' +
        'some counties, cities or records; not_covered: no source is read, and why gives the reason. A ' +
        'property without a record is known to have none only where the kind is covered.',
    ),
    core_status: oneOf(STATUSES, 'status of the county of the largest city alone.'),
    has_listings: flag('True if listing sites of the metro are read.'),
    counties_total: integer('Counties of the metro.', { unit: 'counties' }),
    counties: json(
      z.array(County),
      'Counties with a source, and the only city that it covers, if it is not the county.',
    ),
    sources: json(z.array(Source), 'Sources of the kind in the metro, with the terms under which they are read.'),
    row_count: integer('Rows of the kind, today or earlier.', { unit: 'rows' }),
    listed_rows: integer('Rows in force: listed signals, upcoming sales, parcels of the roll.', { unit: 'rows' }),
    since: instant('When this service first read a row of the kind in the metro.', {
      absent: 'row_count is 0, or kind is parcel_roll',
    }),
    newest_read: instant('Last good read of the source that was read last.', { absent: 'no source is read' }),
    oldest_read: instant('Last good read of the source that was read longest ago.', { absent: 'no source is read' }),
    age_days: integer('Whole days from oldest_read to the data clock.', { absent: 'no source is read', unit: 'days' }),
    address_pct: percent('Share of listed_rows with a street and house number.', { absent: NO_ROWS }),
    zip_pct: percent('Share of listed_rows with a ZIP.', { absent: NO_ROWS }),
    parcel_pct: percent("Share of listed_rows whose parcel is in the county's parcel layer or roll.", {
      absent: 'listed_rows is 0, no parcel layer of their counties is read, or kind is parcel_roll',
    }),
    listings: integer('Active listings in the metro.', { unit: 'listings' }),
    listings_matched: integer(
      'Active listings with a record of the kind at exactly their address or parcel; for parcel_roll: with a parcel.',
      { unit: 'listings' },
    ),
    match_pct: percent('listings_matched over listings.', { absent: 'listings is 0' }),
    why: text('Reason for not_covered: the data that was looked for, the finding and the day.', {
      absent: 'status is covered or partly_covered',
    }),
  },
  coverageCauses,
);

export default defineMart({
  record: Coverage,
  audits: [
    never(
      'coverage',
      'status_as_said',
      'a kind that is not covered has no source and says why; the others have sources and counties',
      `(status = 'not_covered') <> (why IS NOT NULL)
        OR (status = 'not_covered') <> (json_array_length(sources) = 0)
        OR (status = 'not_covered') <> (json_array_length(counties) = 0)
        OR (status = 'covered' AND core_status <> 'covered')`,
    ),
    never(
      'coverage',
      'counts_in_order',
      'rows in force are rows, and matched listings are listings',
      `listed_rows > row_count OR listings_matched > listings
        OR address_pct > 100 OR zip_pct > 100 OR parcel_pct > 100`,
    ),
  ],
  publish: { orderBy: ['metro', 'kind'] },
});

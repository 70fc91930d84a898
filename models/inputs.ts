/**
 * The input tables of a build. The pipeline loads them; models read them:
 *
 *   run                     one row: the data clock and the assumption set
 *   declared_assumptions    the declared assumption set
 *   source_reads            one row per source: the result of its latest read
 *   rejected_rows           rejected rows, with the reason
 *   sold_leads              ids of leads sold to one buyer
 *   sold_properties         keys of their properties
 *   corrected_rows          staged rows in which the operator put a value right
 *   staged_<record>         typed rows of all sources of a family, with the provenance columns below
 *   previous_<mart>         published tables of the previous snapshot that a model reads; empty on the first day
 *   followed_<mart>         the same of the snapshot published last, perhaps earlier on the same day
 */
import {
  date,
  defineRecord,
  instant,
  integer,
  oneOf,
  percent,
  text,
  type Column,
  type RecordDefinition,
} from '../lib/record.ts';
import { OUTDATED_REASONS } from '../sources/days.ts';
import { FAMILIES, RESALE } from '../sources/kinds.ts';
import { Assumption } from './assumptions.ts';
import type { Mart } from './index.ts';

/** Where a staged row comes from; appended to the columns of every staged record. */
export const Provenance = defineRecord('provenance', 'Origin of a staged row.', [], {
  source: text('Name of the source that published the row.'),
  source_url: text('Public page that shows the row.'),
  observed_at: instant('When the page was read. Older than the run if the row is of an earlier good read.'),
  page_sha256: text('SHA-256 of the archived bytes the row was parsed from.'),
  page_row: integer('Position of the row on its page, from 0.'),
});

export const Run = defineRecord('run', 'One row: the day and the assumption set of the build.', ['as_of'], {
  as_of: date('The data clock: day for which the snapshot is built.'),
  observed_at: instant("The run's clock."),
  assumption_set_id: text('Assumption set the underwriting uses.'),
});

const NO_FISCAL_YEAR = 'the rows have no fiscal year, or were read before this field existed';

export const SourceRead = defineRecord(
  'source_read',
  'One row per source: the result of its latest read and the rows in use.',
  ['source'],
  {
    source: text('Source, a row of sources.'),
    family: oneOf(
      FAMILIES,
      'distress: filings, liens, code cases and vacant buildings; ' +
        'benchmarks: rates, census medians, vacancy and loans.',
    ),
    title: text('Title of the source.'),
    home: text('Public page of the source.'),
    terms_basis: oneOf(
      ['us_government_work', 'open_data', 'public_record', 'permission', 'sandbox_only'],
      'Basis on which it may be read.',
    ),
    terms_note: text('The terms in one sentence.'),
    terms_url: text('Public page of the terms.', { absent: 'the source names none' }),
    terms_quote: text('Terms, or the law, word for word.', { absent: 'nobody has read the terms' }),
    resale: oneOf(
      ['confirmed', ...RESALE],
      'Whether what is derived from it may be sold. allowed: by its terms; confirmed: by the operator. ' +
        'With real money, only these are served.',
    ),
    terms_show_pages: text('Reason why the terms permit showing an archived page.', {
      absent: 'the terms do not permit it or were not obtained; the pages are then not shown',
    }),
    county_fips: text('County of its rows.', { absent: 'the source is not about one county' }),
    county: text('County and state, such as "Cuyahoga County, OH".', { absent: 'the source is not about one county' }),
    covered_kinds: text('Values of kind in coverage that it covers completely, such as "tax_lien, condemned".', {
      absent: 'it covers no kind completely',
    }),
    covered_city: text('The only city of the county that it covers.', { absent: 'it covers the whole county' }),
    every_days: integer('Days between two reads.', { unit: 'days' }),
    least_address_pct: percent('Expected least share of rows with a street address.', {
      absent: 'the adapter expects none',
    }),
    least_zip_pct: percent('Expected least share of rows with a ZIP.', { absent: 'the adapter expects none' }),
    least_parcel_pct: percent("Expected least share of rows whose parcel is in the county's other source.", {
      absent: 'the adapter expects none',
    }),
    status: oneOf(
      ['good', 'quarantined', 'unavailable', 'not_due', 'never_read', 'degraded'],
      'Result of the latest read; after a failure, the rows are those of the last good read. ' +
        'degraded: incomplete or old rows; detail says which.',
    ),
    reason: text('Reason code.', {
      absent:
        'the read was good, or the source was not due for another reason than no_file, no_permission or ' +
        'out_of_season',
    }),
    detail: text('The problem, in one sentence.', { absent: 'the read was good, or the source was not due' }),
    page_url: text('Page that failed.', { absent: 'no single page failed' }),
    last_good_at: instant('When the rows in use were read.', {
      absent: 'the source has no good read',
      follows: 'reads',
    }),
    age_days: integer('Whole days between the data clock and the last good read.', {
      absent: 'the source has no good read',
      unit: 'days',
      follows: 'day',
    }),
    fiscal_year: integer('Newest fiscal year of the rows that has begun.', { absent: NO_FISCAL_YEAR, unit: 'year' }),
    outdated_on: date('First day on which the rows are outdated.', { absent: NO_FISCAL_YEAR }),
    outdated_reason: oneOf(
      OUTDATED_REASONS,
      'Why the rows are outdated from that day. fiscal_year_over: it ended more than 60 days ago.',
      { absent: NO_FISCAL_YEAR },
    ),
    missing_fields: text('Fields that earlier reads of the source filled and the last good read did not.', {
      absent: 'no field went blank',
    }),
    missing_since: date('Day of the first read without one of them.', { absent: 'no field went blank' }),
    fill_rates: text('Percent of the rows with a value, by column: "zip 100, ...".', {
      absent: 'it has no good read, or a column always has a value',
    }),
    news: text('Columns, words and codes that earlier good reads had not.', {
      absent: 'nothing is new, or it was read once only',
    }),
    rows_in: integer('Rows on the pages of the last good read.', { unit: 'rows' }),
    rows_stated: integer("Rows by the site's own count.", {
      absent: 'its site states no number of rows, or the rows are of a dropped file',
      unit: 'rows',
    }),
    rows_out: integer('Rows staged from them.', { unit: 'rows' }),
    rows_rejected: integer('Rejected rows, each with a reason in rejects.', { unit: 'rows' }),
    rows_merged: integer('Duplicates merged into another row of the same read.', { unit: 'rows' }),
    rows_carried: integer('Rows of an earlier good read. Not part of rows_in.', { unit: 'rows' }),
  },
);

export const SoldLead = defineRecord(
  'sold_lead',
  'One row per lead that the ledger has as sold to one buyer, or as being paid for.',
  ['id'],
  { id: text('Id of the lead.') },
);

export const SoldProperty = defineRecord(
  'sold_property',
  'One row per key of a property of which a lead is sold to one buyer, or being paid for.',
  ['property_key'],
  { property_key: text('Key of the property, as in property_keys.') },
);

export const CorrectedRow = defineRecord(
  'corrected_row',
  'One row per staged row in which the operator put a value right.',
  ['source', 'page_sha256', 'page_row'],
  {
    source: text('Source, a row of sources.'),
    page_sha256: text('SHA-256 of the archived bytes the row was parsed from.'),
    page_row: integer('Position of the row on its page, from 0.'),
    corrected: text('Corrected columns, each with the page that shows the right value.'),
  },
);

export const RejectedRow = defineRecord(
  'rejected_row',
  'One row per rejected row of the last good read.',
  ['source', 'page_sha256', 'page_url', 'page_row'],
  {
    source: text('Source, a row of sources.'),
    page_url: text('Page of the row.'),
    page_sha256: text('SHA-256 of the archived bytes; zeros if the page itself could not be read.'),
    page_row: integer('Position of the row on its page, from 0.'),
    reason: text('Reason code.'),
    detail: text('The error: field, value and expected value.'),
    raw: text('The row as published, cut at 2,000 characters.'),
    observed_at: instant('When the page was read.'),
  },
);

/** Columns of a published table in an earlier snapshot. One that it lacks is null: history continues over an update. */
export const earlierColumns = ({ contract }: Mart): Column[] =>
  contract.record.columns.map((column) => ({
    ...column,
    absent: column.absent ?? 'an older snapshot did not have it',
  }));

/**
 * Columns of every input table.
 * @param records the staged records
 */
export const inputColumns = (
  marts: readonly Mart[],
  records: readonly RecordDefinition[],
): ReadonlyMap<string, readonly Column[]> =>
  new Map<string, readonly Column[]>([
    ['run', Run.columns],
    ['declared_assumptions', Assumption.columns],
    ['source_reads', SourceRead.columns],
    ['rejected_rows', RejectedRow.columns],
    ['corrected_rows', CorrectedRow.columns],
    ['sold_leads', SoldLead.columns],
    ['sold_properties', SoldProperty.columns],
    ...records.map((record) => [`staged_${record.name}`, [...record.columns, ...Provenance.columns]] as const),
    ...['previous', 'followed'].flatMap((prefix) =>
      marts.map((mart) => [`${prefix}_${mart.name}`, earlierColumns(mart)] as const),
    ),
  ]);

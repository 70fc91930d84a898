/**
 * Tables that a build finds ready before the first model runs. The pipeline loads them; models read them:
 *
 *   run                     one row: the data clock and the assumption set
 *   declared_assumptions    the declared assumption set
 *   source_reads            one row per source: how its latest read went
 *   rejected_rows           rows that were refused, with the reason
 *   sold_leads              ids of the leads that somebody bought for themselves alone
 *   staged_<record>         typed rows of all sources of a family, with the provenance columns below
 *   previous_<mart>         the published tables of the snapshot before this day, those that something asks for; empty on the first day
 */
import { date, defineRecord, instant, integer, oneOf, text } from '../lib/record.ts';

/** Where a staged row comes from; appended to the columns of every staged record. */
export const Provenance = defineRecord('provenance', 'Where a staged row comes from.', [], {
  source: text('Name of the source that published the row.'),
  source_url: text('Public page that shows the row.'),
  observed_at: instant('When the page was read. Older than the run where the row was carried from the last good read.'),
  page_sha256: text('SHA-256 of the archived bytes the row was parsed from.'),
  page_row: integer('Position of the row on its page, from 0.'),
});

export const Run = defineRecord('run', 'The one row that says what is being built.', ['as_of'], {
  as_of: date('The data clock: day for which the snapshot is built.'),
  observed_at: instant("The run's clock."),
  assumption_set_id: text('Assumption set the underwriting uses.'),
});

export const SourceRead = defineRecord(
  'source_read',
  'One row per source: how its latest read went and which rows stand.',
  ['source'],
  {
    source: text('Name of the source.'),
    family: oneOf(['listings', 'fmr', 'tax', 'parcels', 'sheriff', 'register'], 'Family of the source.'),
    title: text('What the source is.'),
    home: text('Public page where a person finds the source.'),
    terms_basis: oneOf(
      ['us_government_work', 'open_data', 'public_record', 'permission', 'sandbox_only'],
      'Basis on which it may be read.',
    ),
    terms_note: text('The terms in one sentence.'),
    county_fips: text('County of its rows.', { absent: 'the source is not about one county' }),
    county: text('County name and state, such as "Cuyahoga County, OH".', {
      absent: 'the source is not about one county',
    }),
    every_days: integer('Days between two reads.', { unit: 'days' }),
    status: oneOf(
      ['good', 'quarantined', 'unavailable', 'not_due', 'never_read'],
      'How the latest read went. Anything but good means that the rows are those of the last good read.',
    ),
    reason: text('Short reason word.', {
      absent:
        'the read was good, or the source was not due for another reason than no_file (nothing in its drop folder) or no_permission (its terms ask for one that the operator has not stated)',
    }),
    detail: text('What was wrong, in one sentence.', { absent: 'the read was good, or the source was not due' }),
    page_url: text('Page that broke the read.', { absent: 'no single page did' }),
    last_good_at: instant('When the rows that stand were read.', { absent: 'the source has never been read well' }),
    age_days: integer('Whole days between the data clock and the last good read.', {
      absent: 'the source has never been read well',
      unit: 'days',
    }),
    rows_in: integer('Rows seen on the pages of the read that stands.', { unit: 'rows' }),
    rows_out: integer('Rows staged from it.', { unit: 'rows' }),
    rows_rejected: integer('Rows refused, each with a reason in rejects.', { unit: 'rows' }),
    rows_merged: integer('Duplicates merged into another row of the same read.', { unit: 'rows' }),
    rows_carried: integer(
      "Rows kept from an earlier good read because today's could not be read. Not part of rows_in.",
      { unit: 'rows' },
    ),
  },
);

export const SoldLead = defineRecord(
  'sold_lead',
  'One row per lead that is sold to one buyer alone, or being paid for, as the ledger has it.',
  ['id'],
  {
    id: text('Id of the lead, as it was sold.'),
  },
);

export const RejectedRow = defineRecord(
  'rejected_row',
  'One row per refused row of the read that stands.',
  ['source', 'page_sha256', 'page_url', 'page_row'],
  {
    source: text('Name of the source.'),
    page_url: text('Page that held the row.'),
    page_sha256: text('SHA-256 of the archived bytes; zeros where the page itself could not be read.'),
    page_row: integer('Position of the row on its page, from 0.'),
    reason: text('Short reason word.'),
    detail: text('What was wrong, naming the field, its value and what was expected.'),
    raw: text('The row as published, cut at 2,000 characters.'),
    observed_at: instant('When the page was read.'),
  },
);

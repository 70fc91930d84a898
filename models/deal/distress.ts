/** The fields of a deal on distress, and the provenance of each group of its fields. */
import { z } from 'zod';
import { integer, json, oneOf, text, words } from '../../lib/record.ts';
import { RECORD_KINDS } from '../../sources/kinds.ts';
import { INSIDE } from '../absence/inside.ts';

const nullableText = z.string().nullable();

const Kind = z.enum(RECORD_KINDS);

export const MatchBasis = z.enum(
  words(
    'address_exact parcel_exact address_range address_without_unit address_without_zip',
    'address_exact_place_unknown condominium_of_building',
  ),
);

/** A public record that matches the property, or may. */
const Distress = z.strictObject({
  kind: Kind,
  id: z.string(),
  match_basis: MatchBasis,
  county: z.string(),
  parcel_id: nullableText,
  address: nullableText,
  amount: nullableText,
  filed_on: nullableText,
  sale_date: nullableText,
  description: nullableText,
  source_url: z.string(),
  last_seen: z.string(),
});

/** By kind. Older snapshots lack the kinds added since. */
const Coverage = z.partialRecord(Kind, z.enum(['covered', 'partly_covered', 'county_not_covered']));

const Origin = z.strictObject({
  method: z.enum(['published', 'derived', 'assumed', 'matched', 'absent']),
  source: nullableText,
  source_url: nullableText,
  observed_at: nullableText,
  row: z.array(z.string().nullable()).nullable(),
});

export const distress = {
  distress_score: integer('Tax delinquency and sale of the same address, 0 to 100.', {
    unit: 'points',
    follows: 'day',
  }),
  distress_status: oneOf(
    ['matched', 'none_found', 'partly_covered', 'county_not_covered', 'address_unknown'],
    'Result of the search in public records. none_found: both tax lists and sales cover the place; ' +
      'partly_covered: only one of them, or a part; county_not_covered: neither. distress_coverage has ' +
      'each kind.',
  ),
  distress_kinds: json(z.array(Kind), 'Kinds of records in distress_matches.'),
  distress_signals_count: integer('Independent kinds in distress_matches, counted as signals_count of leads.', {
    unit: 'kinds',
  }),
  distress_coverage: json(Coverage, 'Whether sources cover the place, by kind of record.'),
  distress_matches: json(
    z.array(Distress),
    'Public records of exactly this address (address_exact) or of its parcel (parcel_exact).',
    { follows: 'reads', inside: INSIDE.distress },
  ),
  distress_candidates: json(
    z.array(Distress),
    'Public records that may belong to this property, each with the reason. They score nothing.',
    { follows: 'reads', inside: INSIDE.distress },
  ),

  provenance: json(
    z.record(z.string(), Origin),
    'Origin of each group of fields. row: the texts that name the row on the page. assumed: the ' +
      'assumption set in source declares it. matched: distress_matches has the records with their pages. ' +
      'underwriting follows from the others.',
    { follows: 'reads', inside: INSIDE.provenance },
  ),
  assumption_set_id: text('Assumption set.'),
};

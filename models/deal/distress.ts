/** The fields of a deal on distress, and the provenance of each group of its fields. */
import { z } from 'zod';
import { integer, json, oneOf, text } from '../../lib/record.ts';
import { RECORD_KINDS } from '../../sources/kinds.ts';
import { INSIDE } from '../absence/inside.ts';

const nullableText = z.string().nullable();

const Kind = z.enum(RECORD_KINDS);

/** A public record that matches the property, or may. */
const Distress = z.strictObject({
  kind: Kind,
  id: z.string(),
  match_basis: z.enum([
    'address_exact',
    'parcel_exact',
    'address_range',
    'address_without_unit',
    'address_without_zip',
    'address_exact_place_unknown',
    'condominium_of_building',
  ]),
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
  distress_score: integer(
    'Tax delinquency and sale of the same address, 0 to 100. Other kinds of records score nothing.',
    { unit: 'points', follows: 'day' },
  ),
  distress_status: oneOf(
    ['matched', 'none_found', 'partly_covered', 'county_not_covered', 'address_unknown'],
    'Result of the search in public records. matched: distress_matches has a record; none_found: both tax lists and ' +
      'sales cover the place and no record matches; partly_covered: only one of them covers it, or a part of it; ' +
      'county_not_covered: neither does. distress_coverage has each kind of record.',
  ),
  distress_kinds: json(z.array(Kind), 'Kinds of records in distress_matches.'),
  distress_signals_count: integer(
    'Independent kinds of distress in distress_matches. Records of one event count once: a tax lien, a tax ' +
      'delinquency and the sale for it; a foreclosure filing and the sale; a code violation and its judgment; a ' +
      'vacant and condemned building.',
    { unit: 'kinds' },
  ),
  distress_coverage: json(
    Coverage,
    'Whether the sources read here cover the place, by kind of record. partly_covered: the source covers one city of ' +
      'the county, which is not known to be that of the property.',
  ),
  distress_matches: json(
    z.array(Distress),
    'Public records of exactly this address (address_exact), or of the parcel at it (parcel_exact). Only these ' +
      'count in distress_score, and of these only tax delinquencies and sales.',
    { follows: 'reads', inside: INSIDE.distress },
  ),
  distress_candidates: json(
    z.array(Distress),
    'Public records that may belong to this property: the house numbers overlap as a range, only one of the two has ' +
      'a unit, the county prints no ZIP, the record has the same address in the county but no known place ' +
      '(address_exact_place_unknown), or the parcel is a condominium of the building. They score nothing.',
    { follows: 'reads', inside: INSIDE.distress },
  ),

  provenance: json(
    z.record(z.string(), Origin),
    'Origin of each group of fields: listing, claim, rent (of HUD), rent_in_place, utilities, vacancy and tax_rate ' +
      '(of the census and its surveys), tax_bill, underwriting, debt, roll, distress, history. row has the texts ' +
      'that name the row on the page. assumed: nobody published it; the assumption set in source declares it. ' +
      'matched: the records are in distress_matches, each with its page. underwriting is ours: it ' +
      'follows from the others.',
    { follows: 'reads', inside: INSIDE.provenance },
  ),
  assumption_set_id: text('Assumption set of the underwriting.'),
};

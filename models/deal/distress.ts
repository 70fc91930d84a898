/** The fields of a deal on distress, and where each group of its fields comes from. */
import { z } from 'zod';
import { integer, json, oneOf, text } from '../../lib/record.ts';

const nullableText = z.string().nullable();

/** A county record that matches the property, or may. */
const Distress = z.strictObject({
  kind: z.enum(['tax_delinquent', 'sheriff_sale']),
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
  sale_date: nullableText,
  source_url: z.string(),
  last_seen: z.string(),
});

const covered = z.enum(['covered', 'county_not_covered']);
const Coverage = z.strictObject({ tax_delinquent: covered, sheriff_sale: covered });

const Origin = z.strictObject({
  method: z.enum(['published', 'derived', 'assumed', 'matched', 'absent']),
  source: nullableText,
  source_url: nullableText,
  observed_at: nullableText,
});

export const distress = {
  distress_score: integer('Tax delinquency and sheriff sale of the same address, 0 to 100.', { unit: 'points' }),
  distress_status: oneOf(
    ['matched', 'none_found', 'partly_covered', 'county_not_covered', 'address_unknown'],
    'Result of the search in county records. none_found: both tax lists and sheriff sales cover the ZIP and neither ' +
      'has the property; partly_covered: only one of them covers it; county_not_covered: neither does.',
  ),
  distress_coverage: json(Coverage, 'Whether the lists read here cover the ZIP, by kind of distress.'),
  distress_matches: json(
    z.array(Distress),
    'County records of exactly this address (address_exact), or of the parcel at it (parcel_exact). Only these ' +
      'count in distress_score.',
  ),
  distress_candidates: json(
    z.array(Distress),
    'County records that may be of this property: the house numbers overlap as a range, only one of the two has a ' +
      'unit, the county prints no ZIP, the record has the same address in the county but no known place ' +
      '(address_exact_place_unknown), or the parcel is a condominium of the building. They score nothing.',
  ),

  provenance: json(
    z.record(z.string(), Origin),
    'Where each group of fields comes from: listing, claim, rent, underwriting, debt, distress, history. assumed: ' +
      'nobody published it; the assumption set in source declares it. matched: the records are in distress_matches, ' +
      'each with its own page.',
  ),
  assumption_set_id: text('Assumption set of the underwriting.'),
};

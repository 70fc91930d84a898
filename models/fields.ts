/** Columns that several published tables share, with one name and one description each. */
import { z } from 'zod';
import {
  because,
  cause,
  date,
  degrees,
  instant,
  integer,
  json,
  MISSING_FIELDS,
  oneOf,
  text,
  type Absence,
  type Fields,
  type RecordDefinition,
  words,
} from '../lib/record.ts';
import { DSCR_REASONS, INSIDE, UNDERWRITE_REASONS } from './inside.ts';
import { never, type Audit } from './contract.ts';
import { METRO_NAMES, OTHER_MARKET } from './metros.ts';

export { AUCTION_TYPES, COVERED_KINDS, isSale, RECORD_KINDS, SIGNAL_TYPES, type RecordKind } from '../sources/kinds.ts';

/** A decimal as records carry it inside JSON. */
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** Where a row was read from. */
export const readFrom = {
  source: text('Source, a row of sources.'),
  source_url: text('Public page that shows the row.', { follows: 'reads' }),
  page_sha256: text('SHA-256 of the archived page of the row.', { follows: 'reads' }),
  page_row: integer('Position of the row on its page, from 0.', { follows: 'reads' }),
};

/** First and last read of a row. */
export const seen = {
  first_seen: instant('First read of the row.'),
  last_seen: instant('Last read of the row on its source.', { follows: 'reads' }),
};

/** Why a street address has no house_low: the first part of its number is no whole number. */
export const NO_WHOLE_NUMBER = cause(
  'house_number_not_whole',
  'the house number is no whole number, as W156N8480 in Wisconsin',
  "address_key IS NOT NULL AND TRY_CAST(regexp_replace(regexp_extract(address_key, '^[^ -]*'), '[A-Z]+$', '') " +
    'AS INTEGER) IS NULL',
);

/**
 * The parts of a normalized street address (USPS Publication 28 forms). Two rows have the same address exactly if zip
 * and address_key are equal.
 */
export const addressParts = (absent: Absence, noUnit: Absence, noNumber: Absence) => ({
  address_key: text('Normalized street address, unit included.', { absent }),
  street_key: text('Normalized street name.', { absent }),
  house_low: integer('House number, or the lower end of a range.', { absent: noNumber }),
  house_high: integer('House number, or the upper end.', { absent: noNumber }),
  unit_key: text('Normalized unit.', { absent: noUnit }),
});

const NO_POINT = because({ of: 'geo_basis', if: "geo_basis IN ('no_zip', 'zip_not_listed')" });

const NO_METRO = because(cause(OTHER_MARKET, 'its county is in none of the twenty metros'));

/** A point for the map, where it comes from (models/macros/places.sql), and the metro. */
export const point = {
  latitude: degrees('Latitude, as exact as geo_basis says.', { absent: NO_POINT, follows: 'reads' }),
  longitude: degrees('Longitude, as exact as geo_basis says.', { absent: NO_POINT, follows: 'reads' }),
  geo_basis: oneOf(
    ['parcel_layer', 'zip_centroid', 'no_zip', 'zip_not_listed'],
    "Origin of the point. parcel_layer: the parcel's own; zip_centroid: one for the whole ZIP; " +
      'zip_not_listed: the census gazetteer lacks the ZIP.',
    { follows: 'reads' },
  ),
  metro: oneOf(METRO_NAMES, 'Metro.', { absent: NO_METRO, follows: 'reads' }),
};

const NOTHING_MISSING = because(cause('none', 'the source fills every field that it filled before'));

const NOTHING_CORRECTED = because(cause('none', 'the operator corrected nothing in the record'));

/** What the operator put right in the row that the record comes from. */
export const CORRECTED = text(
  'Columns that the operator corrected, with the page of the right value: "amount (https://...)".',
  { absent: NOTHING_CORRECTED, follows: 'reads' },
);

/** What the source of a record no longer fills; `absent` then says MISSING_AT_SOURCE of these fields. */
export const missing = {
  [MISSING_FIELDS]: text('Fields that earlier reads of the source filled and the last good read did not.', {
    absent: NOTHING_MISSING,
    follows: 'reads',
  }),
  missing_since: date('Day of the first read without one of them.', { absent: NOTHING_MISSING, follows: 'reads' }),
  corrected: CORRECTED,
};

/** An audit that a point is in the United States. */
export const pointInRange = (model: string): Audit =>
  never(model, 'point_in_range', 'a point is inside the United States', 'latitude <= 0 OR longitude >= 0');

/** Kinds of organizations, by the legal form in their names (models/macros/organizations.sql). */
export const ORGANIZATION_KINDS = ['company', 'bank', 'trust', 'association'] as const;

/**
 * Kinds of distress that are independent of each other (models/macros/distress.sql): records that count as one kind
 * tell of one event.
 */
export const INDEPENDENT_KINDS = ['unpaid_tax', 'foreclosure', 'code_case', 'building'] as const;

/** Kinds of property by the class that its county publishes. */
export const PROPERTY_KINDS = ['vacant_lot', 'one_family', 'two_to_four', 'five_up', 'other', 'unknown'] as const;

/** The kind of a property and where it comes from. */
export const propertyKind = {
  property_kind: oneOf(
    PROPERTY_KINDS,
    'Kind of property by property_class. one_family: a house or condominium; two_to_four, ' +
      'five_up: units; other: no home, or public; unknown: property_kind_basis says why.',
  ),
  property_kind_basis: oneOf(
    ['county_class', 'class_too_broad', 'class_not_mapped', 'not_published_by_county', 'no_parcel_number'],
    'Origin of property_kind. class_too_broad: it means several kinds; class_not_mapped: ' +
      'property_classes lacks it; not_published_by_county: no source has a class of the parcel.',
  ),
};

/** @returns the audit that a kind is known exactly if the class says it */
export const kindFollowsFromClass = (model: string): Audit =>
  never(
    model,
    'kind_follows_from_class',
    'property_kind is known exactly if the class says it',
    `(property_kind = 'unknown') <> (property_kind_basis <> 'county_class')
      OR (property_class IS NULL) <> (property_kind_basis IN ('not_published_by_county', 'no_parcel_number'))`,
  );

const DECIDED = words(
  'meets_thresholds below_thresholds ask_at_or_below_offer ask_near_offer_and_motivated ask_above_offer',
  'condition_risk condemned order_to_vacate vacant_building',
);

/** The decision on a path, with everything needed to recompute it. */
const rationaleOf = <T extends z.ZodRawShape, I extends z.ZodRawShape>(thresholds: T, inputs: I) =>
  z.strictObject({
    status: z.enum(['Hot', 'Warm', 'Pass']),
    reason: z.enum([...new Set([...DECIDED, ...UNDERWRITE_REASONS, ...DSCR_REASONS])]),
    assumption_set_id: z.string(),
    thresholds: z.strictObject(thresholds),
    inputs: z.strictObject(inputs),
  });

const known = decimal.nullable();

export const RATIONALES = {
  rental: rationaleOf(
    { hot_coverage: decimal, hot_cap_pct: decimal, warm_coverage: decimal, warm_cap_pct: decimal },
    {
      coverage_scoring: known,
      cap_scoring_pct: known,
      noi_scoring: known,
      reserves_per_unit: known,
      annual_debt_service: known,
      loan_amount: known,
      minimum_loan: decimal,
      dscr_status: z.enum(['computed', 'insufficient_data', 'not_applicable']),
    },
  ),
  wholesale: rationaleOf(
    {
      arv_cap_pct: decimal,
      share_of_arv: decimal,
      upfront_repairs_per_unit: decimal,
      fee: decimal,
      warm_multiple: decimal,
      warm_motivation: z.int(),
    },
    {
      list_price: known,
      units: z.int().nullable(),
      noi_underwritten: known,
      upfront_repairs_per_unit: decimal,
      arv: known,
      mao: known,
      motivation_score: z.int(),
    },
  ),
  creative_finance: rationaleOf(
    {
      hot_coverage: decimal,
      hot_motivation_or_distress: z.int(),
      warm_coverage: decimal,
      warm_motivation_or_distress: z.int(),
      market_coverage: decimal,
    },
    {
      seller_coverage: known,
      seller_debt_service: known,
      market_coverage: known,
      needed: z.boolean().nullable(),
      motivation_score: z.int(),
      distress_score: z.int(),
      motivation_or_distress: z.int(),
      subject_to: z.literal('not_evaluated_no_existing_loan_data'),
    },
  ),
};

export const rationale = <P extends keyof typeof RATIONALES>(path: P) =>
  json(RATIONALES[path], `Thresholds and inputs of ${path}_status.`, { follows: 'day', inside: INSIDE.paths });

/** Some fields of another record, for a model that computes those. */
export function fieldsOf<F extends Fields, const K extends keyof F & string>(
  record: RecordDefinition<F>,
  names: readonly K[],
): Pick<F, K> {
  return Object.fromEntries(names.map((name) => [name, record.schema.shape[name]])) as Pick<F, K>;
}

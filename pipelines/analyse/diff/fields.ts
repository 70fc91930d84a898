/** Which fields a diff compares and which it shows. */

/**
 * Fields that change from day to day without any news of a property: when and where a row was read, ages counted from
 * that, and figures that follow from ages alone. Compared with ALL=1 only.
 */
export const VOLATILE: ReadonlySet<string> = new Set([
  'observed_at',
  'last_seen',
  'last_verified',
  'verified_age_days',
  'rent_observed_at',
  'page_sha256',
  'page_row',
  'provenance',
  'days_on_feed',
  'version_last_seen',
  'last_good_at',
  'age_days',
  'distress_matches',
  'distress_candidates',
  'score_rationale',
  'also_listed',
  'motivation_days',
  'motivation_score',
  'rental_rationale',
  'wholesale_rationale',
  'creative_finance_rationale',
]);

/** Fields by which people recognize a row, in addition to its key. */
export const LABELS: Readonly<Record<string, readonly string[]>> = {
  deals: ['address', 'city'],
  leads: ['lead_type', 'address', 'county'],
  signals: ['county', 'parcel_id'],
  auctions: ['county', 'case_number', 'sale_date'],
  filings: ['business_name'],
  owners: ['owner_name', 'county'],
};

/** Tables that follow from other tables. Compared with ALL=1 only. */
export const DERIVED_TABLES: ReadonlySet<string> = new Set(['reports', 'property_keys', 'coverage']);

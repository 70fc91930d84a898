-- The change feed: the fields that it compares, and the records that its lists have.

-- Fields that change daily without any news about the record: when and where a row was read, ages since then, figures
-- and sentences that depend only on ages or on other rows, and the place on the map, which follows from ZIP and parcel.
-- source_url is one of them: a list that moves to another URL says nothing about its rows. The feed ignores them, and
-- so does `make diff` without ALL=1.
CREATE OR REPLACE MACRO fields_that_move() AS [
  'observed_at', 'last_seen', 'last_verified', 'verified_age_days', 'freshness', 'rent_observed_at',
  'source_url', 'page_sha256', 'page_row', 'provenance', 'days_on_feed', 'version_last_seen', 'last_good_at',
  'age_days', 'distress_matches', 'distress_candidates', 'score_rationale', 'also_listed', 'motivation_days',
  'motivation_score', 'rental_rationale', 'wholesale_rationale', 'creative_finance_rationale', 'loan_rate_age_days',
  'why_this_is_interesting', 'agent_filings',
  'county', 'county_fips', 'county_basis', 'latitude', 'longitude', 'geo_basis'
];

CREATE OR REPLACE MACRO is_compared(field) AS NOT list_contains(fields_that_move(), field);

-- Compared fields with another value, by two JSON objects with the same fields in the same order. Each object is parsed
-- once: a lookup by name for each of a deal's 200 fields would parse it 200 times.
CREATE OR REPLACE MACRO fields_of(record) AS map_entries(from_json(record, '"MAP(VARCHAR, VARCHAR)"'));
CREATE OR REPLACE MACRO fields_that_differ(today, before) AS list_transform(
  list_filter(
    list_zip(fields_of(today), fields_of(before)),
    lambda pair: pair[1] IS DISTINCT FROM pair[2] AND is_compared(pair[1].key)
  ),
  lambda pair: pair[1].key
);

-- The lists of the API: deals for sale, signals still on their list, and upcoming sales that are not canceled. All
-- leads and filings of a snapshot are listed.
CREATE OR REPLACE MACRO is_listed_deal(listing_status) AS listing_status = 'active';
CREATE OR REPLACE MACRO is_listed_signal(signal_state) AS signal_state <> 'removed';
CREATE OR REPLACE MACRO is_called_off(sale_status) AS
  sale_status IN ('cancelled', 'withdrawn', 'postponed', 'removed');
CREATE OR REPLACE MACRO is_listed_auction(sale_status, sale_date, as_of) AS
  sale_date >= as_of AND NOT is_called_off(sale_status);

-- Why a signal left its list. A debt that leaves a list of unpaid taxes is no longer owed; other lists give no reason.
CREATE OR REPLACE MACRO reason_of_signal(signal_type, state_reason) AS CASE
  WHEN state_reason = 'closed_by_publisher' THEN state_reason
  WHEN signal_type = 'tax_delinquent' AND state_reason IN ('balance_zero', 'not_on_latest_list') THEN 'cured'
  ELSE 'left_the_list' END;

-- Why a sale is no longer upcoming.
CREATE OR REPLACE MACRO reason_of_sale(sale_status, sale_date, next_sale_date, as_of) AS CASE
  WHEN sale_status IN ('sold', 'unsold') THEN sale_status
  WHEN is_called_off(sale_status) AND next_sale_date IS NOT NULL THEN 'rescheduled'
  WHEN sale_status IN ('cancelled', 'withdrawn') THEN 'called_off'
  WHEN sale_status = 'postponed' THEN 'postponed'
  WHEN sale_status <> 'removed' AND sale_date < as_of THEN 'day_passed'
  ELSE 'left_the_list' END;

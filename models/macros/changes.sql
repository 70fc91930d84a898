-- The change feed: the fields that it compares, and the records that its lists have.

-- A field is compared unless its record declares that another value alone is no news (`follows`): an age and what
-- follows from it, when and where the row was last read, and what follows from other rows. fields_that_move()
-- (models/marts/change_feeds.ts) names those fields.
CREATE OR REPLACE MACRO is_compared(list, field) AS NOT list_contains(fields_that_move(), list || '.' || field);

-- Compared fields with another value, by two JSON objects with the same fields in the same order. Each object is parsed
-- once: a lookup by name for each of a deal's 200 fields would parse it 200 times.
CREATE OR REPLACE MACRO fields_of(record) AS map_entries(from_json(record, '"MAP(VARCHAR, VARCHAR)"'));
CREATE OR REPLACE MACRO fields_that_differ(list, today, before) AS list_transform(
  list_filter(
    list_zip(fields_of(today), fields_of(before)),
    lambda pair: pair[1] IS DISTINCT FROM pair[2] AND is_compared(list, pair[1].key)
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

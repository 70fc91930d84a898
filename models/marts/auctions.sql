-- One row per court case, parcel and sale day. Today's pages first; a sale of the day before that its sheriff no
-- longer shows is kept: its day has passed without a result being read, or it was taken off the calendar.

with

as_of as (select as_of from run),

terms as (
  select
    assumption('opening_bid_numerator')::integer as numerator,
    assumption('opening_bid_denominator')::integer as denominator,
    assumption('opening_bid_round_up')::decimal(14, 2) as round_up
),

calendars as (select source, last_good_at from source_reads),

rules as (select * from ref_ohio_sale_rules),

before as (select * from previous_auctions),

-- A county's own page and the auction site may show the same sale: it is one row, from the page that says its status,
-- with the parties and the kind that only the other one tells
shown as (
  select
    * replace (
      coalesce(plaintiff, max(plaintiff) over same_sale) as plaintiff,
      coalesce(defendant, max(defendant) over same_sale) as defendant,
      case when sale_kind = 'unknown' then coalesce(max(nullif(sale_kind, 'unknown')) over same_sale, sale_kind) else sale_kind end as sale_kind
    )
  from stg_sheriff_sales
  window same_sale as (partition by auction_id)
  qualify row_number() over (partition by auction_id order by status = 'unknown', observed_at desc, source, item_id, page_row) = 1
),

-- Every sale day on which a case was ever seen
case_days as (
  select county_fips, case_key, sale_date from shown
  union
  select county_fips, regexp_replace(upper(case_number), '[^A-Z0-9]', '', 'g') as case_key, sale_date from before
),

-- A mortgage case that was never seen on an earlier day is taken to be at its first sale
rounds as (
  select
    shown.*,
    case
      when shown.sale_round is not null then 'published'
      when shown.sale_kind = 'mortgage_foreclosure' and not exists (
        from case_days
        where case_days.county_fips = shown.county_fips
          and case_days.case_key = shown.case_key
          and case_days.sale_date < shown.sale_date
      ) then 'case_not_seen_before'
      else 'unknown'
    end as sale_round_basis
  from shown
),

-- Two thirds of the appraisal, rounded up to the cent, as the law says "not less than"
minimums as (
  select
    rounds.* replace (case when sale_round_basis = 'case_not_seen_before' then 1 else sale_round end as sale_round),
    quotient_up_to_cent(wide(appraised_value) * numerator, denominator) as two_thirds,
    round_up
  from rounds
  cross join terms
),

bids as (
  select
    *,
    opening_bid as published_bid,
    opening_bid >= two_thirds and opening_bid - two_thirds < round_up as is_two_thirds,
    sale_kind = 'mortgage_foreclosure' and sale_round = 1 as is_first_mortgage_sale
  from minimums
),

-- A published figure wins; only the first sale of a mortgage foreclosure is ever derived
based as (
  select
    *,
    case
      when published_bid is not null and sale_kind in ('mortgage_foreclosure', 'other_judgment') and coalesce(is_two_thirds, false)
        and coalesce(sale_round, 1) = 1 then 'two_thirds_of_appraisal'
      when published_bid is not null then 'published_minimum'
      when is_first_mortgage_sale and two_thirds is not null then 'two_thirds_of_appraisal'
      when sale_kind = 'mortgage_foreclosure' and sale_round = 2 then 'no_minimum_second_sale'
      else 'unknown'
    end as opening_bid_basis,
    published_bid is null and is_first_mortgage_sale and two_thirds is not null as opening_bid_derived
  from bids
),

today as (
  select
    -- The published fields
    'sheriff_sale' as auction_type,
    based.county,
    based.sale_date,
    based.street as property_address,
    based.city,
    based.appraised_value,
    case when based.opening_bid_derived is true then based.two_thirds else based.published_bid end as opening_bid,
    based.plaintiff,
    based.source_url,

    -- State
    based.auction_id as id,
    case when based.status = 'scheduled' and based.sale_date < as_of.as_of then 'result_unknown' else based.status end as sale_status,
    based.county_fips,
    based.case_number,
    based.defendant,
    case when coalesce(based.plaintiff, based.defendant) is null then 'login_required' else 'available' end as party_status,
    based.parcel_id,
    based.parcel_key,
    based.state,
    based.zip,
    based.address_key,
    based.street_key,
    based.house_low,
    based.house_high,
    based.unit_key,

    -- Opening bid
    based.opening_bid_basis,
    coalesce(based.opening_bid_derived, false) as opening_bid_derived,
    coalesce(based.published_bid is not null and based.is_first_mortgage_sale and not based.is_two_thirds, false) as opening_bid_mismatch,
    rules.statute_ref,
    based.sale_kind,
    based.sale_round,
    based.sale_round_basis,

    -- As published
    based.deposit,
    based.sold_amount,
    based.item_id,
    based.case_status_raw,
    based.slot_raw,
    based.sale_type_raw,

    -- Provenance
    based.observed_at as last_seen,
    based.source,
    based.page_sha256,
    based.page_row
  from based
  cross join as_of
  left join rules
    on rules.sale_kind = based.sale_kind
    and rules.opening_bid_basis = based.opening_bid_basis
),

dated as (
  select
    today.*,
    case when before.sale_status = today.sale_status then before.status_since else as_of.as_of end as status_since,
    coalesce(before.first_seen, today.last_seen) as first_seen
  from today
  cross join as_of
  left join before on before.id = today.id
),

no_longer_shown as (
  select
    before.* replace (
      case
        when before.sale_status not in ('scheduled', 'unknown') then before.sale_status
        when before.sale_date < as_of.as_of then 'result_unknown'
        when calendars.last_good_at > before.last_seen then 'removed'
        else before.sale_status
      end as sale_status,
      case
        when before.sale_status not in ('scheduled', 'unknown') then before.status_since
        when before.sale_date < as_of.as_of or calendars.last_good_at > before.last_seen then as_of.as_of
        else before.status_since
      end as status_since
    )
  from before
  cross join as_of
  left join calendars on calendars.source = before.source
  where before.id not in (select id from today)
),

together as (
  select * from dated
  union all by name
  select * from no_longer_shown
)

select
  auction_type, county, sale_date, property_address, city, appraised_value, opening_bid, plaintiff, source_url,
  id, sale_status, status_since, county_fips, case_number, defendant, party_status, parcel_id, parcel_key, state, zip,
  address_key, street_key, house_low, house_high, unit_key,
  opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref, sale_kind, sale_round, sale_round_basis,
  percentage(appraised_value - opening_bid, appraised_value) as appraisal_discount_pct,
  deposit, sold_amount, item_id, case_status_raw, slot_raw, sale_type_raw,
  lag(sale_date) over sales_of_case as previous_sale_date,
  lead(sale_date) over sales_of_case as next_sale_date,
  first_seen, last_seen, source, page_sha256, page_row
from together
window sales_of_case as (
  partition by county_fips, regexp_replace(upper(case_number), '[^A-Z0-9]', '', 'g'), parcel_key
  order by sale_date
)

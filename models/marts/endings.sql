-- One row per lead or deal that was open in the snapshot published last and ended by today's pages, or before, for the
-- days of the change feed. A record that only left its list has no page that shows its end, and no row.

with

-- The end of a record that was open: where it was, and where it is now
paid_debts as (
  select
    lead_id_of('tax_delinquent', today.county_fips, today.parcel_key) as id,
    'debt_paid' as reason,
    list.paid_on as published_on,
    before.source_url as open_url, before.page_sha256 as open_sha256, before.last_seen as open_at,
    today.source, today.source_url, today.page_sha256, today.last_seen as read_at
  from followed_signals as before
  join signals as today using (id)
  left join stg_tax_parcels as list
    on list.source = today.source
    and list.page_sha256 = today.page_sha256
    and list.page_row = today.page_row
  where before.signal_type = 'tax_delinquent'
    and before.signal_state = 'listed'
    and today.state_reason = 'balance_zero'
),

-- The sale that a lead was of: the next one of its parcel or case
next_sales as (
  select
    *,
    sale_lead_id_of(county_fips, parcel_key, case_number) as lead_id
  from followed_auctions
  cross join run
  where is_upcoming(sale_status, sale_date, run.as_of)
  qualify row_number() over (
    partition by lead_id
    order by sale_date, case_number, id
  ) = 1
),

called_off_sales as (
  select
    before.lead_id as id,
    'sale_called_off' as reason,
    cast(null as date) as published_on,
    before.source_url as open_url, before.page_sha256 as open_sha256, before.last_seen as open_at,
    today.source, today.source_url, today.page_sha256, today.last_seen as read_at
  from next_sales as before
  join auctions as today using (id)
  where today.sale_status in ('cancelled', 'withdrawn', 'postponed')
    and today.next_sale_date is null
),

ended_listings as (
  select
    today.id,
    'off_market' as reason,
    shown.off_market_on as published_on,
    before.source_url as open_url, before.page_sha256 as open_sha256, before.observed_at as open_at,
    today.source, today.source_url, today.page_sha256, today.observed_at as read_at
  from followed_deals as before
  join deals as today using (id)
  left join stg_listings as shown
    on shown.source = today.source
    and shown.listing_id = today.listing_id
  where before.listing_status = 'active'
    and today.listing_status in ('under_contract', 'sold')
),

todays_endings as (
  select * from paid_debts
  union all
  select * from called_off_sales
  union all
  select * from ended_listings
)

select
  id, reason,
  coalesce(published_on, run.as_of) as ended_on,
  case when published_on is not null then 'published' else 'read' end as ended_basis,
  run.as_of as found_on,
  open_url, open_sha256, open_at, source, source_url, page_sha256, read_at
from todays_endings
cross join run
-- A page of the same bytes shows no end
where open_sha256 <> page_sha256

union all

select earlier.*
from followed_endings as earlier
cross join run
cross join terms
where earlier.id not in (select id from todays_endings)
  and date_diff('day', earlier.found_on, run.as_of) <= terms.change_days

-- never two_pages: the end is on another page than the one that showed it open, and was read later
open_sha256 = page_sha256 or open_at > read_at;

-- One row per metro and day of a snapshot: today's, and those of the previous snapshot.

with

-- Today's deals beside those of the snapshot of an earlier day
compared_deals as (
  select
    coalesce(today.metro, before.metro) as metro,
    coalesce(today.listing_status = 'active', false) as is_active,
    coalesce(before.listing_status = 'active', false) as was_active,
    today.list_price < before.list_price as is_cut,
    coalesce(today.underwrite_reliability = 'ok' and today.cap_gap_pct is not null, false) as is_compared,
    coalesce(today.cap_rate, today.cap_rate_derived) as cap_rate_asked,
    today.cap_rate_underwritten
  from deals as today
  full join previous_deals as before on before.id = today.id
),

counted_deals as (
  select
    metro,
    count(*) filter (where is_active) as deals,
    count(*) filter (where is_active and is_compared) as compared,
    median(cap_rate_asked) filter (where is_active and is_compared) as cap_rate_asked,
    median(cap_rate_underwritten) filter (where is_active and is_compared) as cap_rate_underwritten,
    count(*) filter (where is_active and not was_active) as new_deals,
    count(*) filter (where was_active and not is_active) as gone_deals,
    count(*) filter (where is_active and was_active and is_cut) as price_cuts
  from compared_deals
  group by metro
),

counted_auctions as (
  select auctions.metro, count(*) as auctions_ahead
  from auctions
  cross join run
  where is_listed_auction(auctions.sale_status, auctions.sale_date, run.as_of)
  group by auctions.metro
),

metros as (
  select distinct metro, exists (select 1 from previous_deals) as has_before
  from ref_metro_counties
  where has_listings
)

select
  metros.metro,
  run.as_of,
  cast(coalesce(deals.deals, 0) as integer) as deals,
  cast(coalesce(deals.compared, 0) as integer) as compared,
  deals.cap_rate_asked,
  deals.cap_rate_underwritten,
  case when has_before then cast(coalesce(deals.new_deals, 0) as integer) end as new_deals,
  case when has_before then cast(coalesce(deals.gone_deals, 0) as integer) end as gone_deals,
  case when has_before then cast(coalesce(deals.price_cuts, 0) as integer) end as price_cuts,
  cast(coalesce(auctions.auctions_ahead, 0) as integer) as auctions_ahead
from metros
cross join run
left join counted_deals as deals on deals.metro = metros.metro
left join counted_auctions as auctions on auctions.metro = metros.metro

union all by name

select before.*
from previous_metro_days as before
cross join run
where before.as_of < run.as_of

-- never counts_in_order: compared deals and new deals are deals
compared > deals or new_deals > deals;
-- audit none_lost: every earlier day stays
select metro, as_of from previous_metro_days anti join metro_days using (metro, as_of);

-- One row per record of the previous snapshot's lists, without filings, with a hash of its compared fields. Lists that
-- the previous feed lacks have no rows.
-- Key: list, record_id
-- Not null: content

with

continued as (
  select list, as_of_before from int_change_feeds where is_continued
)

select 'deals' as list, id as record_id, hash(*columns(lambda field: is_compared('deals', field))) as content
from followed_deals
where is_listed_deal(listing_status) and exists (from continued where list = 'deals')

union all

select 'signals' as list, id as record_id, hash(*columns(lambda field: is_compared('signals', field))) as content
from followed_signals
where is_listed_signal(signal_state) and exists (from continued where list = 'signals')

union all

select 'auctions' as list, id as record_id, hash(*columns(lambda field: is_compared('auctions', field))) as content
from followed_auctions
where is_listed_auction(sale_status, sale_date, (select as_of_before from continued where list = 'auctions'))

union all

select 'leads' as list, id as record_id, hash(*columns(lambda field: is_compared('leads', field))) as content
from followed_leads
where exists (from continued where list = 'leads')

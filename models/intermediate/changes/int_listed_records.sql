-- One row per record of today's lists, without filings (all of them are listed), with a hash of its compared fields.
-- Key: list, record_id

select 'deals' as list, id as record_id, hash(*columns(lambda field: is_compared('deals', field))) as content
from deals
where is_listed_deal(listing_status)

union all

select 'signals' as list, id as record_id, hash(*columns(lambda field: is_compared('signals', field))) as content
from signals
where is_listed_signal(signal_state)

union all

select 'auctions' as list, id as record_id, hash(*columns(lambda field: is_compared('auctions', field))) as content
from auctions
where is_listed_auction(sale_status, sale_date, (select as_of from run))

union all

select 'leads' as list, id as record_id, hash(*columns(lambda field: is_compared('leads', field))) as content
from leads

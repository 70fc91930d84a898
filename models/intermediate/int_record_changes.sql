-- One row per record that entered or left a list since the previous snapshot, or has another value in a compared field.
-- The rows are hashed first, and joined by id and hash alone.

with

-- No filing leaves. Only those of today's reads and amendments can differ
filings_to_compare as (
  select filing_id as id from stg_registrations
  union all
  select id from int_filings_before
),

listed_today as (
  select 'deals' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from deals
  where is_listed_deal(listing_status)

  union all

  select 'signals' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from signals
  where is_listed_signal(signal_state)

  union all

  select 'auctions' as list, id, content
  from (select id, sale_status, sale_date, hash(*columns(lambda field: is_compared(field))) as content from auctions)
  cross join run
  where is_listed_auction(sale_status, sale_date, run.as_of)

  union all

  select 'leads' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from leads

  union all

  select 'filings' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from filings
  semi join filings_to_compare using (id)
),

listed_before as (
  select 'deals' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from previous_deals
  where is_listed_deal(listing_status)

  union all

  select 'signals' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from previous_signals
  where is_listed_signal(signal_state)

  union all

  select 'auctions' as list, id, content
  from (
    select id, sale_status, sale_date, hash(*columns(lambda field: is_compared(field))) as content
    from previous_auctions
  )
  join int_change_feeds as feeds on feeds.list = 'auctions'
  where is_listed_auction(sale_status, sale_date, feeds.as_of_before)

  union all

  select 'leads' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from previous_leads

  union all

  select 'filings' as list, id, hash(*columns(lambda field: is_compared(field))) as content
  from int_filings_before
)

select
  list,
  id as record_id,
  case
    when before.id is null then 'new'
    when today.id is null then 'gone'
    else 'changed'
  end as change
from listed_today as today
full join listed_before as before using (list, id)
join int_change_feeds as feeds using (list)
where feeds.is_continued
  and today.content is distinct from before.content

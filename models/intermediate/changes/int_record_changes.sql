-- One row per record that entered or left a list since the previous snapshot, or has another value in a compared field.
-- Rows are compared by hash, so that the join holds only ids and hashes.
-- Key: list, record_id

with

-- Only filings of today's reads and amendments can differ. A run that is repeated on the same day may lack filings that
-- the earlier run had read
filings_to_compare as (
  select filing_id as id from stg_registrations

  union

  select id from int_filings_before

  union

  select filings.id
  from followed_filings as filings
  cross join run
  join int_change_feeds as feeds
    on feeds.list = 'filings'
    and feeds.as_of_before = run.as_of
  where cast(filings.last_updated as date) >= run.as_of - 1
),

listed_today as (
  select * from int_listed_records
  union all
  select 'filings' as list, id as record_id, hash(*columns(lambda field: is_compared('filings', field))) as content
  from filings
  where id in (select id from filings_to_compare)
),

listed_before as (
  select * from int_listed_before
  union all
  select 'filings' as list, id as record_id, hash(*columns(lambda field: is_compared('filings', field))) as content
  from followed_filings
  where id in (select id from filings_to_compare)
)

select
  list,
  record_id,
  case
    when before.content is null then 'new'
    when today.content is null then 'gone'
    else 'changed'
  end as change
from listed_today as today
full join listed_before as before using (list, record_id)
join int_change_feeds as feeds using (list)
where feeds.is_continued
  and today.content is distinct from before.content

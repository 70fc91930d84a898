-- One row per record that entered or left a list since the previous snapshot, or has another value in a compared field.
-- Rows are compared by hash, so that the join holds only ids and hashes.
-- Key: list, record_id

with

listed_today as (
  select * from int_listed_records
  union all
  select 'filings' as list, id as record_id, hash(*columns(lambda field: is_compared('filings', field))) as content
  from int_filings_compared
),

listed_before as (
  select * from int_listed_before
  union all
  select 'filings' as list, id as record_id, hash(*columns(lambda field: is_compared('filings', field))) as content
  from int_filings_followed
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

-- One row per list whose changes are published: since when the changes are complete, and the changes of this snapshot.

with

listed as (
  select list, count(*) as records from int_listed_records group by list
  union all
  select 'filings' as list, sum(filings) as records from registers
),

counted as (
  select
    list,
    count(*) filter (where change = 'new') as new_records,
    count(*) filter (where change = 'changed') as changed_records,
    count(*) filter (where change = 'gone') as gone_records
  from int_record_changes
  group by list
)

select
  * replace (
    cast(coalesce(records, 0) as integer) as records,
    cast(coalesce(new_records, 0) as integer) as new_records,
    cast(coalesce(changed_records, 0) as integer) as changed_records,
    cast(coalesce(gone_records, 0) as integer) as gone_records
  ),
  not is_continued as begins
from int_change_feeds
cross join run
left join listed using (list)
left join counted using (list)

-- audit records_add_up: a list has the records of the previous list, with the new ones and without the gone ones
select list
from change_feeds
left join (
  select list, count(*) as n from int_listed_before group by list
  union all
  select list, records from followed_change_feeds where list = 'filings'
) as before using (list)
where not begins and records <> coalesce(before.n, 0) + new_records - gone_records;
-- never clock_in_order: complete_since is not after the snapshot
complete_since > changes_through;

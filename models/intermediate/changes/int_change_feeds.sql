-- One row per list of the change feed: whether it continues the previous snapshot, and since when it is complete. A
-- list that the previous feed lacks begins with this snapshot.
-- Key: list

with

-- Two snapshots never have the same instant, although the sandbox's clock always shows noon
clock as (
  select greatest(run.observed_at, max(previous.changes_through) + interval 1 second) as changes_through
  from run
  left join followed_change_feeds as previous on true
  group by run.observed_at
)

select
  lists.list,
  previous.list is not null as is_continued,
  previous.as_of as as_of_before,
  clock.changes_through,
  case
    when previous.list is null then clock.changes_through
    else greatest(previous.complete_since, clock.changes_through - to_days(terms.change_days))
  end as complete_since
from (select unnest(['deals', 'signals', 'auctions', 'leads', 'filings']) as list) as lists
cross join clock
cross join terms
left join followed_change_feeds as previous on previous.list = lists.list

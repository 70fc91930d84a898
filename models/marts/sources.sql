-- One row per source: what it is, how its latest read went, how old its rows are, whether they are outdated, and how
-- well they join.

with

join_rates as (
  select
    source,
    max(share_pct) filter (where question = 'address') as address_pct,
    max(share_pct) filter (where question = 'zip') as zip_pct,
    max(share_pct) filter (where question = 'parcel') as parcel_pct,
    string_agg(finding, '; ' order by question) as findings
  from int_join_rates
  group by source
)

select
  reads.* replace (
    case when is_degraded then 'degraded' else reads.status end as status,
    case when is_degraded then 'low_join_rate' else reads.reason end as reason,
    case when is_degraded then join_rates.findings else reads.detail end as detail
  ),
  join_rates.address_pct, join_rates.zip_pct, join_rates.parcel_pct, judged.stale_reason,
  case
    when reads.last_good_at is null then 'never_read'
    when judged.stale_reason is not null then 'stale'
    else 'fresh'
  end as freshness
from source_reads as reads
cross join run
left join join_rates on join_rates.source = reads.source
-- A failed read states a more precise reason
cross join lateral (
  select
    join_rates.findings is not null and reads.status in ('good', 'not_due') as is_degraded,
    case
      when reads.outdated_on <= run.as_of then reads.outdated_reason
      when reads.age_days > reads.every_days then 'older_than_read_interval'
    end as stale_reason
) as judged

-- audit rows_add_up: rows_in is the sum of rows_out, rows_rejected and rows_merged
select * from sources where rows_in <> rows_out + rows_rejected + rows_merged;
-- never stale_as_said: a source is stale exactly if stale_reason says why, and always once its rows are outdated
(freshness = 'stale') <> (stale_reason is not null)
  or (outdated_on <= (select as_of from run)) <> (stale_reason is not distinct from outdated_reason);
-- audit something_was_read: at least one source has a good read, now or earlier
-- A first run without a network must not publish: an empty snapshot would claim that there are no deals.
select * from sources where not exists (select 1 from sources where last_good_at is not null);

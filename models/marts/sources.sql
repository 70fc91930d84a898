-- One row per source: what it is, how its latest read went, and how old its rows are.

select
  *,
  case
    when last_good_at is null then 'never_read'
    when age_days <= every_days then 'fresh'
    else 'stale'
  end as freshness
from source_reads

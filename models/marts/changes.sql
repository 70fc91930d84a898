-- One row per change of a list between two consecutive snapshots: today's changes, and those of earlier snapshots for
-- the declared days. For a sold lead only its latest change remains, and only its id.

with

todays_changes as (
  select
    list,
    record_id,
    moved.change,
    fields.changed_fields,
    reasons.reason,
    feeds.changes_through as changed_at,
    run.as_of,
    list = 'leads' and reason is not distinct from 'sold' as has_id_alone,
    places.kind,
    places.state,
    places.county,
    places.county_fips,
    places.city,
    places.zip,
    places.metro
  from int_record_changes as moved
  cross join run
  join int_change_feeds as feeds using (list)
  join int_change_places as places using (list, record_id)
  left join int_changed_fields as fields using (list, record_id)
  left join int_gone_reasons as reasons using (list, record_id)
),

sold_leads as (
  select 'leads' as list, id as record_id from int_sold_lead_ids
),

-- A sold lead that left the list earlier, even for another reason, is reported as sold
earlier_changes as (
  select
    previous.* exclude (id) replace (
      case when sold.record_id is not null then 'sold' else previous.reason end as reason
    ),
    sold.record_id is not null as has_id_alone
  from followed_changes as previous
  join int_change_feeds as feeds using (list)
  left join sold_leads as sold using (list, record_id)
  where feeds.is_continued
    and previous.changed_at > feeds.complete_since
  qualify sold.record_id is null or (
    previous.change = 'gone'
    and row_number() over (partition by list, record_id order by previous.changed_at desc) = 1
  )
),

all_changes as (
  select * from todays_changes
  union all by name
  select earlier_changes.*
  from earlier_changes
  left join int_record_changes as moved using (list, record_id)
  where not (has_id_alone and moved.record_id is not null)
)

select
  uuid_of('change|' || list || '|' || record_id || '|' || instant_text(changed_at)) as id,
  list,
  record_id,
  change,
  changed_fields,
  reason,
  changed_at,
  as_of,
  case when not has_id_alone then kind end as kind,
  case when not has_id_alone then state end as state,
  case when not has_id_alone then county end as county,
  case when not has_id_alone then county_fips end as county_fips,
  case when not has_id_alone then city end as city,
  case when not has_id_alone then zip end as zip,
  case when not has_id_alone then metro end as metro
from all_changes

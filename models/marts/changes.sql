-- One row per change of a list between two consecutive snapshots: today's changes, and those of earlier snapshots for
-- the declared days. For a sold lead only its latest change remains, and only its id.

with

todays_changes as (
  select
    *,
    changes_through as changed_at,
    list = 'leads' and reason is not distinct from 'sold' as has_id_alone
  from int_record_changes
  cross join run
  join int_change_feeds using (list)
  join int_change_places using (list, record_id)
  left join int_changed_fields using (list, record_id)
  left join int_gone_reasons using (list, record_id)
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
  list, record_id, change, changed_fields, reason, changed_at, as_of,
  if(has_id_alone, null, columns('^(kind|state|county|county_fips|city|zip|metro)$'))
from all_changes

-- never fields_as_said: a change has fields exactly if the record changed, and at least one
(changed_fields is null) <> (change <> 'changed') or json_array_length(changed_fields) = 0;
-- never reason_as_said: a change has a reason exactly if the record is gone
(reason is null) <> (change <> 'gone');
-- never sold_lead_has_id_alone: the change of a sold lead has neither kind nor place, and any other has a state
(list = 'leads' and coalesce(reason = 'sold', false)) <> (state is null)
  or state is null and coalesce(kind, county, county_fips, city, zip, metro) is not null;
-- audit sold_leads_say_no_more: the only change of a lead of a sold property is that it is gone
select record_id from changes join int_sold_lead_ids as sold on sold.id = changes.record_id
where list = 'leads' group by record_id having count(*) > 1 or any_value(reason) is distinct from 'sold';
-- audit lead_to_the_lists: the previous list with this snapshot's changes is today's list
select list, record_id from (
  select list, record_id, 1 as n from int_listed_records
  where list in (select list from change_feeds where not begins)
  union all select list, record_id, -1 from int_listed_before
  union all select list, record_id, case change when 'new' then -1 when 'gone' then 1 else 0 end
  from changes join change_feeds using (list) where changes_through = changed_at and list <> 'filings')
group by all having sum(n) <> 0;
-- audit of_listed_records: a record that is new or changed in this snapshot is listed
select list, record_id from changes join change_feeds using (list)
anti join (
  select list, record_id from int_listed_records union all select 'filings', id from int_filings_compared
) as listed using (list, record_id)
where changes_through = changed_at and change <> 'gone';
-- never kept_as_said: a change is in the period since which changes are complete
(select changed_at <= complete_since or changed_at > changes_through from change_feeds
  where change_feeds.list = changes.list);

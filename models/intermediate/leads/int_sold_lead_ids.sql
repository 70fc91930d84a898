-- One row per lead of a sold property, including records that no longer form a lead. The lead of a case gets another id
-- once its parcel is known.
-- Key: id

with

records_of_sold as (
  select distinct record_id
  from int_property_groups
  where property_key in (select property_key from int_sold_keys)
),

lead_ids as (
  select id from sold_leads

  union

  select unnest([lead_id, case_lead_id]) as id
  from int_property_records
  semi join records_of_sold using (record_id)
)

select id
from lead_ids
where id is not null
  and id not in (select id from leads)

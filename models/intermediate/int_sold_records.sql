-- One row per signal or auction of a sold property: it has a key that a claim took, or shares a key with a sold lead.

with

sold_keys as (
  select property_key from sold_properties

  union

  select keys.property_key
  from sold_leads
  join property_keys as keys on keys.record_id = sold_leads.id
)

select distinct record_id
from property_keys
where property_key in (select property_key from sold_keys)

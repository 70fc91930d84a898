-- One row per record and key of its property: listed delinquencies, upcoming sales, deals, and sold leads. Two records
-- that share a key belong to one property. A claim takes the keys of its lead, and no lead with one of them is sold
-- again. The server matches claims with this table; no response contains it.

with

groups as (
  select distinct record_id, property_group
  from int_property_groups
),

keys as (
  select distinct property_group, property_key
  from int_property_groups
),

-- The lead of a case keeps its id after the parcel of the case becomes known
leads_of_records as (
  select record_id, lead_id from int_property_records
  union
  select record_id, case_lead_id from int_property_records
),

-- A deal has the keys of its exact address and of the records that match it
deals_in_groups as (
  select deals.id as record_id, groups.property_group
  from int_properties as deals
  join int_property_addresses as addresses
    on addresses.place_kind = 'zip'
    and addresses.place = deals.zip
    and addresses.address_key = deals.address_key
  join int_property_groups as groups using (property_key)

  union

  select matches.id as record_id, groups.property_group
  from int_distress_matches as matches
  join groups using (record_id)
  where matches.is_exact
),

published_records as (
  select groups.record_id, groups.property_group
  from groups
  join int_property_records as records using (record_id)
  where records.is_current

  union

  select sold_leads.id as record_id, groups.property_group
  from sold_leads
  join leads_of_records on leads_of_records.lead_id = sold_leads.id
  join groups using (record_id)

  union

  select * from deals_in_groups
)

select distinct record_id, property_key
from published_records
join keys using (property_group)

-- audit of_every_lead: every lead has a key of its property
-- Without keys, the server would claim the lead without its property.
select id from leads
where coalesce(signal_id, auction_id) not in (select record_id from property_keys);
-- never separable: no key contains the separator of a list of keys
contains(property_key, '|');
-- audit none_sold: no lead is of a sold property
select leads.id, property_key from leads
join property_keys on record_id = coalesce(signal_id, auction_id)
where property_key in (select property_key from sold_properties);

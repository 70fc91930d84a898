-- One row per key and record, with the group of both. Records that share a key belong to one property, so each gets the
-- keys of the other too: a debt gets a sale's case, a sale gets a debt's parcel. A group is named by its least key.
-- Each pass copies that key from records to keys and back; three passes join chains of four records.
-- Key: record_id, property_key

with

pass_1 as (
  select record_id, property_key, min(property_key) over (partition by record_id) as property_group
  from int_record_keys
),

keys_1 as (
  select * replace (min(property_group) over (partition by property_key) as property_group) from pass_1
),

pass_2 as (
  select * replace (min(property_group) over (partition by record_id) as property_group) from keys_1
),

keys_2 as (
  select * replace (min(property_group) over (partition by property_key) as property_group) from pass_2
),

pass_3 as (
  select * replace (min(property_group) over (partition by record_id) as property_group) from keys_2
),

keys_3 as (
  select * replace (min(property_group) over (partition by property_key) as property_group) from pass_3
)

select record_id, property_key, min(property_group) over (partition by record_id) as property_group
from keys_3

-- One row per signal or auction of a sold property: it has a key that a claim has taken, or shares a key with a sold
-- lead.
-- Key: record_id

select distinct record_id
from property_keys
where property_key in (select property_key from int_sold_keys)

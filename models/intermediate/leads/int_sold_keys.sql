-- One row per key of a sold property: a key that a claim has taken, or a key of a sold lead.
-- Key: property_key

select property_key from sold_properties

union

select keys.property_key
from sold_leads
join property_keys as keys on keys.record_id = sold_leads.id

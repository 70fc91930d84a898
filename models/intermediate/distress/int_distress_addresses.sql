-- One row per address that a county record names. The record holds the parts of its first address; a line may name two.
-- Key: kind, record_id, address_key?

select kind, record_id, zip, address_key, street_key, house_low, house_high, unit_key
from int_distress_records
where address_key is not null

union

select
  records.kind, records.record_id, records.zip,
  addresses.address_key, addresses.street_key, addresses.house_low, addresses.house_high, addresses.unit_key
from int_distress_records as records
join stg_addresses as addresses on addresses.street = records.address
where addresses.line_number > 1
  and addresses.address_key is not null

-- One row per address that a county record names. The record has the parts of the first; a line may name two.

with

further_lines as (
  select kind, record_id, zip, unnest(address_lines(address)[2:]) as line
  from int_distress_records
),

further_addresses as (
  select kind, record_id, zip, parts_of_line(line) as parts
  from further_lines
)

select kind, record_id, zip, address_key, street_key, house_low, house_high, unit_key
from int_distress_records
where address_key is not null

union

select
  kind, record_id, zip,
  parts.address_key, parts.street_key, parts.house_low, parts.house_high, parts.unit_key
from further_addresses
where parts is not null

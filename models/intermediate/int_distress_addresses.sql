-- One row per address that a county record names: a line may name two.

with

lines as (
  select kind, record_id, zip, unnest(address_lines(address)) as line
  from int_distress_records
),

addressed as (
  select *, parts_of_line(line) as parts from lines
)

select distinct
  kind,
  record_id,
  zip,
  parts.address_key as address_key,
  parts.street_key as street_key,
  parts.house_low as house_low,
  parts.house_high as house_high,
  parts.unit_key as unit_key
from addressed
where parts.address_key is not null

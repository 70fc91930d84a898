-- One row per address of a county record that stands today: a listed delinquency or a sale to come.

with

as_of as (select as_of from run),

standing as (
  select
    'tax_delinquent' as kind, id as record_id, county_fips, county, parcel_id, address, zip,
    amount, cast(null as date) as sale_date, source_url, last_seen
  from signals
  where signal_state = 'listed' and has_address

  union all

  select
    'sheriff_sale' as kind, id as record_id, county_fips, county, parcel_id, property_address as address, zip,
    cast(null as decimal(14, 2)) as amount, sale_date, source_url, last_seen
  from auctions
  cross join as_of
  where sale_status = 'scheduled' and sale_date >= as_of.as_of and address_key is not null
),

lines as (
  select standing.*, unnest(address_lines(address)) as line
  from standing
),

addressed as (
  select *, parts_of_line(line) as parts from lines
)

select distinct
  kind,
  record_id,
  county_fips,
  county,
  parcel_id,
  address,
  zip,
  parts.address_key as address_key,
  parts.street_key as street_key,
  parts.house_low as house_low,
  parts.house_high as house_high,
  parts.unit_key as unit_key,
  amount,
  sale_date,
  source_url,
  last_seen
from addressed
where parts.address_key is not null

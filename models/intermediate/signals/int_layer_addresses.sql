-- One row per parcel with its address, value and class from the county's parcel layer, for records that print parcels
-- without them. An address stays once found, even if the layer omits the parcel on a later day.
-- Key: county_fips, parcel_key
-- View: audited in stg_parcels

with

earlier_addresses as (
  select
    county_fips, parcel_key, address as street, city, city_basis, zip,
    address_key, street_key, house_low, house_high, unit_key,
    county_value, property_class
  from previous_signals
  where address_basis = 'parcel_layer'
  qualify row_number() over (
    partition by county_fips, parcel_key
    order by signal_type = 'tax_delinquent' desc, last_seen desc, id
  ) = 1
)

select
  county_fips, parcel_key, street, city, city_basis, zip,
  address_key, street_key, house_low, house_high, unit_key,
  county_value, property_class
from stg_parcels

union all

select *
from earlier_addresses
anti join stg_parcels using (county_fips, parcel_key)

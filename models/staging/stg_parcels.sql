-- One row per parcel of a county's parcel layer, with normalized parcel number and address.

with

parcels as (
  select
    *,
    coalesce(parcel_key_of(county_fips, parcel_raw), upper(trim(parcel_raw))) as parcel_key,
    address_parts(street) as parts
  from staged_parcel
)

select
  county_fips,
  parcel_key,
  nullif(trim(street), '') as street,
  trim(city) as city,
  left(zip, 5) as zip,
  parts.address_key as address_key,
  parts.street_key as street_key,
  parts.house_low as house_low,
  parts.house_high as house_high,
  parts.unit_key as unit_key,
  nullif(county_value, 0) as county_value,
  property_class,
  source,
  observed_at
from parcels
-- Some layers have a parcel twice, once for each of its shapes
qualify row_number() over (
  partition by county_fips, parcel_key
  order by observed_at desc, parts.address_key nulls last, street nulls last, source, page_row
) = 1

-- One row per property for sale: its county and metro, and a point for the map. Both come from its parcel if a roll has
-- it, else from its ZIP. A ZIP that crosses a county line is placed in the county with most of its land.
-- Key: id

with

places as (
  select
    properties.id, properties.state, properties.zip,
    rolls.county_fips as parcel_county_fips,
    parcels.latitude as parcel_latitude,
    parcels.longitude as parcel_longitude,
    zips.latitude as zip_latitude,
    zips.longitude as zip_longitude,
    zips.county_fips as zip_county_fips,
    zips.land_share_pct
  from int_properties as properties
  join int_property_rolls as rolls on rolls.id = properties.id
  left join stg_parcels as parcels
    on parcels.county_fips = rolls.county_fips
    and parcels.parcel_key = rolls.parcel_key
  left join ref_zip_places as zips on zips.zip = properties.zip
)

select
  places.id,
  counties.county || ', ' || counties.state as county,
  counties.county_fips,
  case
    when counties.county_fips is null then null
    when parcel_county_fips is not null then 'parcel'
    when land_share_pct = 100 then 'zip'
    else 'zip_most_land'
  end as county_basis,
  coalesce(parcel_latitude, zip_latitude) as latitude,
  coalesce(parcel_longitude, zip_longitude) as longitude,
  geo_basis_of(parcel_latitude, zip, zip_latitude) as geo_basis,
  int_metros.metro
from places
-- Most of the ZIP's land may be in another state than the listing
left join ref_counties as counties
  on counties.county_fips = coalesce(parcel_county_fips, zip_county_fips)
  and counties.state = places.state
left join int_metros on int_metros.county_fips = counties.county_fips

-- One row per parcel that is a single home within a building, according to a record, its sale or the parcel layer: its
-- class says so, its number ends in a letter, or one of its addresses has a unit. Several units, such as "# 1-4", mean
-- a whole building. The unit of a code case is ignored, because it may name the apartment with the violation.
-- Key: county_fips, parcel_key

with

parcels as (
  select
    county_fips, parcel_key, property_class,
    case when signal_type = 'tax_delinquent' then unit_key end as unit_key
  from signals
  union all
  select county_fips, parcel_key, property_class, unit_key from stg_parcels
  union all
  select county_fips, parcel_key, null as property_class, unit_key from auctions
)

select distinct county_fips, parcel_key
from parcels
where parcel_key is not null
  and (
    regexp_matches(property_class, '(?i)condo')
    -- Ohio's land use code 550
    or (starts_with(county_fips, '39') and regexp_matches(property_class, '^55\d\b'))
    or is_condominium_number(county_fips, parcel_key)
    or (unit_key is not null and not regexp_matches(unit_key, '[&-]'))
  )

-- One row per parcel with an auction that its county publishes too: class and market value from its tax list, else from
-- its parcel layer or tax roll.
-- Key: county_fips, parcel_key

with

sold_parcels as (
  select distinct county_fips, parcel_key from auctions where parcel_key is not null
),

debts as (
  select county_fips, parcel_key, property_class, county_value from signals where signal_type = 'tax_delinquent'
),

parcels as (
  select
    county_fips,
    parcel_key,
    coalesce(listed.property_class, layer.property_class) as property_class,
    coalesce(listed.county_value, layer.county_value) as county_value
  from sold_parcels
  left join debts as listed using (county_fips, parcel_key)
  left join stg_parcels as layer using (county_fips, parcel_key)
)

select
  parcels.county_fips, parcels.parcel_key, parcels.property_class, parcels.county_value,
  kinds.property_kind, kinds.property_kind_basis
from parcels
left join int_property_classes as kinds using (county_fips, property_class)
where property_class is not null or county_value is not null

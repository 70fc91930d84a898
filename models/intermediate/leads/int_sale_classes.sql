-- One row per parcel with a sheriff sale whose county publishes a property class: from its tax list, else from its
-- parcel layer or tax roll.
-- Key: county_fips, parcel_key
-- Not null: property_class, property_kind, property_kind_basis

with

sold_parcels as (
  select distinct county_fips, parcel_key from auctions where parcel_key is not null
),

debts as (
  select county_fips, parcel_key, property_class from signals where signal_type = 'tax_delinquent'
),

classes as (
  select
    county_fips,
    parcel_key,
    coalesce(listed.property_class, layer.property_class) as property_class
  from sold_parcels
  left join debts as listed using (county_fips, parcel_key)
  left join stg_parcels as layer using (county_fips, parcel_key)
)

select classes.county_fips, classes.parcel_key, classes.property_class, kinds.property_kind, kinds.property_kind_basis
from classes
join int_property_classes as kinds using (county_fips, property_class)

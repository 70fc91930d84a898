-- One row per signal or auction and key of its property: its parcel, its court case, and its address. A case is a key
-- of each of its sales if it has one parcel, or if one of its sales was printed without a parcel. A record without any
-- of them has its lead as the key; without a lead, itself.
-- Key: record_id, property_key

with

cases as (
  select
    county_fips,
    case_key,
    count(distinct parcel_key) <= 1 or count(*) > count(parcel_key) as is_one_property
  from int_property_records
  where case_key is not null
  group by county_fips, case_key
),

keys as (
  select record_id, 'parcel:' || county_fips || ':' || parcel_key as property_key
  from int_property_records
  where parcel_key is not null

  union all

  select records.record_id, 'case:' || records.county_fips || ':' || records.case_key as property_key
  from int_property_records as records
  join cases
    on cases.county_fips = records.county_fips
    and cases.case_key = records.case_key
  where cases.is_one_property

  union all

  select records.record_id, addresses.property_key
  from (
    select record_id, address_key, unnest(places_of(county_fips, zip, city), recursive := true)
    from int_property_records
  ) as records
  join int_property_addresses as addresses using (place_kind, place, address_key)
)

select record_id, property_key
from keys

union all

select record_id, coalesce('lead:' || lead_id, 'record:' || record_id) as property_key
from int_property_records
anti join keys using (record_id)

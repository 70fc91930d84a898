-- One row per address that identifies a property: number and street within a ZIP; within a city if one of its records
-- has no ZIP; within a county if a record has neither. An address that one list prints for several parcels identifies
-- none of them. Several lists may spell the parcel number of one property differently.
-- Key: place_kind, place, address_key

with

addresses as (
  select source, county_fips, parcel_key, zip, city, address_key, is_current, true as is_record
  from int_property_records
  where address_key is not null
    -- Other kinds of records may join the address of a debt or sale, but never define one
    and lead_id is not null

  union all

  select
    source, county_fips,
    case when parcel_key_of(county_fips, parcel_key) is not null then parcel_key end as parcel_key,
    zip,
    nullif(letters_digits_and_spaces(city), '') as city,
    address_key,
    true as is_current,
    false as is_record
  from stg_parcels
  where address_key is not null
),

of_records as (
  select address_key, bool_or(zip is null) as lacks_zip, bool_or(zip is null and city is null) as lacks_place
  from addresses
  where is_record
  group by address_key
),

-- Only an address of a record, in a place that one of its records may need, can identify a property
places as (
  select *, unnest(places_of(county_fips, zip, city), recursive := true)
  from addresses
  join of_records using (address_key)
),

places_by_source as (
  select
    place_kind, place, address_key, source,
    min(parcel_key) filter (where is_current) as first_parcel,
    max(parcel_key) filter (where is_current) as last_parcel,
    min(zip) as first_zip,
    max(zip) as last_zip,
    min(city) as first_city,
    max(city) as last_city,
    bool_or(is_record) as has_record,
    bool_or(is_record and zip is null) as has_no_zip,
    bool_or(is_record and zip is null and city is null) as has_no_place
  from places
  where place is not null
    and case place_kind when 'zip' then true when 'city' then lacks_zip else lacks_place end
  group by place_kind, place, address_key, source
)

select
  place_kind, place, address_key,
  place_kind || ':' || place || ':' || address_key as property_key
from places_by_source
group by place_kind, place, address_key
having bool_and(first_parcel is not distinct from last_parcel)
  and case place_kind
    when 'zip' then bool_or(has_record)
    -- Towns that share a name: the ZIP decides
    when 'city' then bool_or(has_no_zip) and min(first_zip) is not distinct from max(last_zip)
    else
      bool_or(has_no_place)
      and min(first_zip) is not distinct from max(last_zip)
      and min(first_city) is not distinct from max(last_city)
  end

-- One row per property and public record that matches it, or may match it. A record matches if it has exactly the
-- property's normalized address and ZIP, or the parcel of such an address. A weaker match is a candidate and scores
-- nothing: the debt of one owner must never count against another's house.
-- Key: id, kind, record_id
-- Not null: match_basis, is_exact

with

properties as (
  select id, address, city, zip, address_key, street_key, house_low, house_high, unit_key
  from int_properties
  where address_key is not null
),

-- A listing may name two addresses, or all units of the building
property_addresses as (
  select id, city, zip, unit_key, address_key
  from properties

  union

  select properties.id, properties.city, properties.zip, properties.unit_key, addresses.address_key
  from properties
  join stg_addresses as addresses on addresses.street = properties.address
  where addresses.address_key is not null
),

-- The parcel of an address, by a tax list, a sale or the county's parcel layer, today or earlier
parcel_addresses as (
  select county_fips, parcel_key, zip, address_key from signals where signal_type = 'tax_delinquent'
  union
  select county_fips, parcel_key, zip, address_key from auctions
  union
  select county_fips, parcel_key, zip, address_key from stg_parcels
),

exact_matches as (
  select
    properties.id, records.kind, records.record_id,
    'address_exact' as match_basis,
    properties.unit_key
  from property_addresses as properties
  join int_distress_addresses as records
    on records.zip = properties.zip
    and records.address_key = properties.address_key

  union all

  -- The record's parcel is at exactly this address, although the record prints another street or none
  select distinct
    properties.id, records.kind, records.record_id,
    'parcel_exact' as match_basis,
    properties.unit_key
  from property_addresses as properties
  join parcel_addresses
    on parcel_addresses.zip = properties.zip
    and parcel_addresses.address_key = properties.address_key
  join int_distress_records as records
    on records.county_fips = parcel_addresses.county_fips
    and records.parcel_key = parcel_addresses.parcel_key
  where parcel_key_of(records.county_fips, records.parcel_key) is not null
),

-- One condominium is not the whole building, although the county prints the building's address for it
matches_of_units as (
  select
    matches.*,
    records.is_condominium and matches.unit_key is null as is_unit_of_building
  from exact_matches as matches
  join int_distress_records as records
    on records.kind = matches.kind
    and records.record_id = matches.record_id
),

-- The same house in an overlapping range of numbers, or with and without its unit. A grid number is no range.
street_matches as (
  select
    properties.id, records.kind, records.record_id,
    address_basis(
      properties.address_key, properties.street_key, properties.house_low, properties.house_high, properties.unit_key,
      records.address_key, records.street_key, records.house_low, records.house_high, records.unit_key
    ) as match_basis
  from properties
  join int_distress_addresses as records
    on records.zip = properties.zip
    and records.street_key = properties.street_key
    and (
      properties.house_low is null
      or records.house_low <= properties.house_high and records.house_high >= properties.house_low
    )
),

-- Without ZIP or city, two towns of the county may have the same street and number
matches_without_zip as (
  select
    properties.id, records.kind, records.record_id,
    case place_agreement(records.zip, records.city, records.city_basis, properties.zip, properties.city)
      when 'same' then 'address_without_zip'
      when 'unknown' then basis_in_county('address_exact', 'unknown')
    end as match_basis
  from property_addresses as properties
  join ref_county_zips as county_zips on starts_with(properties.zip, county_zips.zip_prefix)
  join int_distress_records as records
    on records.zip is null
    and records.county_fips = county_zips.county_fips
  join int_distress_addresses as addresses
    on addresses.kind = records.kind
    and addresses.record_id = records.record_id
    and addresses.address_key = properties.address_key
),

matches as (
  select
    id, kind, record_id, if(is_unit_of_building, 'condominium_of_building', match_basis) as match_basis,
    not is_unit_of_building as is_exact
  from matches_of_units

  union all

  select *, false as is_exact from street_matches where match_basis <> 'address_exact'

  union all

  select *, false as is_exact from matches_without_zip where match_basis is not null
)

-- A record that names two addresses may match a property twice
select id, kind, record_id, match_basis, is_exact
from matches
qualify row_number() over (partition by id, kind, record_id order by is_exact desc, match_basis) = 1

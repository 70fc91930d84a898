-- One row per property: its parcel on a parcel layer or tax roll. A parcel belongs to the property if it has exactly
-- its address and ZIP, or if a county record that matches the property names it. A condominium never counts as the
-- building.
-- Key: id

with

properties as (
  select id, zip, address_key, unit_key
  from int_properties
),

found_parcels as (
  select properties.id, properties.unit_key, parcels.county_fips, parcels.parcel_key
  from properties
  join stg_parcels as parcels
    on parcels.zip = properties.zip
    and parcels.address_key = properties.address_key

  union

  select properties.id, properties.unit_key, parcels.county_fips, parcels.parcel_key
  from int_distress_matches as matches
  join properties on properties.id = matches.id
  join int_distress_records as records
    on records.kind = matches.kind
    and records.record_id = matches.record_id
  join stg_parcels as parcels
    on parcels.county_fips = records.county_fips
    and parcels.parcel_key = records.parcel_key
  where matches.is_exact
    and parcel_key_of(records.county_fips, records.parcel_key) is not null
),

judged_parcels as (
  select
    found_parcels.*,
    found_parcels.unit_key is null and condominiums.parcel_key is not null as is_unit_of_building
  from found_parcels
  left join int_condominiums as condominiums
    on condominiums.county_fips = found_parcels.county_fips
    and condominiums.parcel_key = found_parcels.parcel_key
),

-- The only parcel that is not a condominium of the building
own_parcels as (
  select id, min(county_fips) as county_fips, min(parcel_key) as parcel_key
  from judged_parcels
  group by id
  having count(*) = 1 and not bool_or(is_unit_of_building)
),

rolls as (
  select source, county_fips
  from source_reads
  where contains(covered_kinds, 'parcel_roll') and last_good_at is not null
),

covered_zips as (
  select distinct left(staged_parcel.zip, 5) as zip
  from staged_parcel
  join rolls using (source)
),

covered as (
  select properties.id
  from properties
  join covered_zips using (zip)
  union
  select properties.id
  from properties
  join ref_county_zips as county_zips on starts_with(properties.zip, county_zips.zip_prefix)
  join rolls on rolls.county_fips = county_zips.county_fips
)

select
  properties.id,
  case
    when parcels.parcel_key is not null then 'matched'
    when properties.id in (select id from found_parcels) then 'ambiguous'
    when properties.address_key is null then 'address_unknown'
    when properties.id in (from covered) then 'no_match'
    else 'county_not_covered'
  end as roll_status,
  parcels.parcel_id as roll_parcel_id,
  parcels.last_sale_date, parcels.last_sale_price, parcels.last_sale_basis,
  parcels.county_value as assessed_market_value,
  parcels.source as roll_source,
  parcels.source_url as roll_source_url,
  parcels.observed_at as roll_observed_at,
  parcels.county_fips,
  parcels.parcel_key
from properties
left join own_parcels using (id)
left join stg_parcels as parcels
  on parcels.county_fips = own_parcels.county_fips
  and parcels.parcel_key = own_parcels.parcel_key;

-- never sale_basis_as_said: a last sale has a basis, and nothing else has one
(last_sale_basis is null) <> (last_sale_date is null and last_sale_price is null);

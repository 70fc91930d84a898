-- One row per record in force or active listing of a property whose owner is an organization. The owner is the one that
-- the record prints; else the owner of the same parcel on the tax list, another record, or the parcel layer. A listing
-- has the owner of the records that match it exactly, or of the only parcel at exactly its address.
-- Key: record_id
-- Not null: county_fips, property, source_url, owner_key, owner_id

with

groups as (
  select record_id, min(property_group) as property
  from int_property_groups
  group by record_id
),

named_owners as (
  select county_fips, parcel_key, owner_name, columns('^mail_'), kind, last_seen
  from int_distress_records
  where owner_name is not null and parcel_key is not null
  union all
  select county_fips, parcel_key, owner_name, columns('^mail_'), 'roll' as kind, observed_at
  from stg_parcel_owners
),

-- The tax list names the billed owner
parcel_owners as (
  select county_fips, parcel_key, struct_pack(owner_name, mail_street, mail_city, mail_state, mail_zip) as owner
  from named_owners
  qualify row_number() over (
    partition by county_fips, parcel_key
    order by kind <> 'tax_delinquent', kind = 'roll', last_seen desc, owner_name, mail_street nulls last
  ) = 1
),

records as (
  select
    record_id, kind, counts_as, county_fips, county, property, parcel_id, address, city, amount, source_url, last_seen,
    if(owner_name is null, owner, struct_pack(owner_name, mail_street, mail_city, mail_state, mail_zip)) as owner
  from int_distress_records
  join groups using (record_id)
  left join parcel_owners using (county_fips, parcel_key)
  -- A record without parcel, case and address identifies no property
  where not regexp_matches(property, '^(lead|record):')
),

listings as (
  select id, zip, address_key, unit_key, address, city, listing_url as source_url, last_verified as last_seen
  from int_properties
  where listing_status = 'active'
),

listings_of_records as (
  select listings.id, records.county_fips, records.county, records.property, records.parcel_id, records.owner
  from listings
  join int_distress_matches as matches on matches.id = listings.id and matches.is_exact
  join records on records.record_id = matches.record_id
  qualify row_number() over (
    partition by listings.id
    order by matches.match_basis, records.owner is null, records.kind <> 'tax_delinquent', records.record_id
  ) = 1
),

-- Two parcels at one address may have two owners, and a home in a building is not the building
parcels_of_listings as (
  select listings.id, min(parcels.county_fips) as county_fips, min(parcels.parcel_key) as parcel_key
  from listings
  anti join listings_of_records using (id)
  join stg_parcels as parcels using (zip, address_key)
  left join int_condominiums as condominiums
    on condominiums.county_fips = parcels.county_fips
    and condominiums.parcel_key = parcels.parcel_key
  group by listings.id
  having count(*) = 1
    and (count(condominiums.parcel_key) = 0 or count(listings.unit_key) = 1)
),

counties as (
  select county_fips, min(county) as county
  from source_reads
  where county_fips is not null
  group by county_fips
),

parcel_groups as (
  select property_key, min(property_group) as property
  from int_property_groups
  group by property_key
),

listings_of_parcels as (
  select
    id, county_fips, county, coalesce(property, 'parcel:' || county_fips || ':' || parcel_key) as property,
    parcel_key as parcel_id, owner
  from parcels_of_listings
  join counties using (county_fips)
  join parcel_owners using (county_fips, parcel_key)
  left join parcel_groups on property_key = 'parcel:' || county_fips || ':' || parcel_key
),

owned_records as (
  select * exclude (owner), unnest(owner) from records
  union all by name
  select
    id as record_id, 'listing' as kind, county_fips, county, property, parcel_id, address, city, source_url, last_seen,
    unnest(owner)
  from (from listings_of_records union all from listings_of_parcels)
  join listings using (id)
),

-- Classify each name once: the rule runs several regular expressions
organizations as (
  select owner_name, organization_key(owner_name) as owner_key, organization_kind(owner_key) as owner_kind
  from (select distinct owner_name from owned_records where may_be_organization(owner_name))
  where owner_kind is not null
)

select *, uuid_of('owner|' || county_fips || '|' || owner_key) as owner_id
from owned_records
join organizations using (owner_name)

-- One row per record in force or active listing of a property whose owner is an organization. The owner is the one that
-- the record prints; else the owner of the same parcel on the tax list, another record, or the parcel layer. A listing
-- has the owner of the records that match it exactly, or of the only parcel at exactly its address.
-- Key: record_id
-- Not null: county_fips, property, source_url, owner_key

with

groups as (
  select record_id, min(property_group) as property
  from int_property_groups
  group by record_id
),

named_owners as (
  select county_fips, parcel_key, owner_name, mail_street, mail_city, mail_state, mail_zip, kind, last_seen
  from int_distress_records
  where owner_name is not null and parcel_key is not null

  union all

  select county_fips, parcel_key, owner_name, mail_street, mail_city, mail_state, mail_zip, 'roll' as kind, observed_at
  from stg_parcel_owners
),

-- The tax list names the billed owner
parcel_owners as (
  select county_fips, parcel_key, owner_name, mail_street, mail_city, mail_state, mail_zip
  from named_owners
  qualify row_number() over (
    partition by county_fips, parcel_key
    order by kind <> 'tax_delinquent', kind = 'roll', last_seen desc, owner_name, mail_street nulls last
  ) = 1
),

records_with_owner as (
  select
    records.record_id, records.kind, records.counts_as, records.county_fips, records.county, groups.property,
    records.parcel_id, records.address, records.city, records.amount, records.source_url, records.last_seen,
    coalesce(records.owner_name, parcel_owners.owner_name) as owner_name,
    if(records.owner_name is null, parcel_owners.mail_street, records.mail_street) as mail_street,
    if(records.owner_name is null, parcel_owners.mail_city, records.mail_city) as mail_city,
    if(records.owner_name is null, parcel_owners.mail_state, records.mail_state) as mail_state,
    if(records.owner_name is null, parcel_owners.mail_zip, records.mail_zip) as mail_zip
  from int_distress_records as records
  join groups using (record_id)
  left join parcel_owners
    on parcel_owners.county_fips = records.county_fips
    and parcel_owners.parcel_key = records.parcel_key
  -- A record without parcel, case and address identifies no property
  where not regexp_matches(groups.property, '^(lead|record):')
),

listings as (
  select id, zip, address_key, unit_key, address, city, listing_url, last_verified
  from int_properties
  where listing_status = 'active'
),

listings_of_records as (
  select
    listings.id as record_id, owners.county_fips, owners.county, owners.property, owners.parcel_id,
    owners.owner_name, owners.mail_street, owners.mail_city, owners.mail_state, owners.mail_zip
  from listings
  join int_distress_matches as matches on matches.id = listings.id and matches.is_exact
  join records_with_owner as owners on owners.record_id = matches.record_id
  qualify row_number() over (
    partition by listings.id
    order by matches.match_basis, owners.owner_name is null, owners.kind <> 'tax_delinquent', owners.record_id
  ) = 1
),

-- Two parcels at one address may have two owners, and a home in a building is not the building
parcels_of_listings as (
  select listings.id as record_id, min(parcels.county_fips) as county_fips, min(parcels.parcel_key) as parcel_key
  from listings
  anti join listings_of_records on listings_of_records.record_id = listings.id
  join stg_parcels as parcels
    on parcels.zip = listings.zip
    and parcels.address_key = listings.address_key
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
    parcels.record_id, parcels.county_fips, counties.county,
    coalesce(parcel_groups.property, 'parcel:' || parcels.county_fips || ':' || parcels.parcel_key) as property,
    parcels.parcel_key as parcel_id,
    owners.owner_name, owners.mail_street, owners.mail_city, owners.mail_state, owners.mail_zip
  from parcels_of_listings as parcels
  join counties using (county_fips)
  join parcel_owners as owners
    on owners.county_fips = parcels.county_fips
    and owners.parcel_key = parcels.parcel_key
  left join parcel_groups
    on parcel_groups.property_key = 'parcel:' || parcels.county_fips || ':' || parcels.parcel_key
),

listings_with_owner as (
  select
    owned.record_id, 'listing' as kind, cast(null as varchar) as counts_as, owned.county_fips, owned.county,
    owned.property, owned.parcel_id, listings.address, listings.city, cast(null as decimal(14, 2)) as amount,
    listings.listing_url as source_url, listings.last_verified as last_seen,
    owned.owner_name, owned.mail_street, owned.mail_city, owned.mail_state, owned.mail_zip
  from (
    select * from listings_of_records
    union all
    select * from listings_of_parcels
  ) as owned
  join listings on listings.id = owned.record_id
),

owned_records as (
  select * from records_with_owner
  union all
  select * from listings_with_owner
),

-- Classify each name once: the rule runs several regular expressions
organizations as (
  select owner_name, organization_key(owner_name) as owner_key, organization_kind(owner_key) as owner_kind
  from (select distinct owner_name from owned_records where may_be_organization(owner_name))
  where owner_kind is not null
)

select
  record_id, kind, counts_as, county_fips, county, property, parcel_id, address, city, amount, source_url, last_seen,
  owner_name, owner_key, owner_kind, mail_street, mail_city, mail_state, mail_zip
from owned_records
join organizations using (owner_name)

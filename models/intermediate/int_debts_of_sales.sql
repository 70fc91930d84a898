-- One row per tax debt and sheriff sale of the same property: of the same parcel, or of exactly the same address. Each
-- join has equalities alone: one that asks for either would compare all debts of a county with all its sales.

with

as_of as (select as_of from run),

listed as (
  select * from signals where signal_state = 'listed'
),

upcoming as (
  select auctions.*
  from auctions
  cross join as_of
  where sale_status = 'scheduled' and sale_date >= as_of.as_of
)

select
  listed.id as signal_id, listed.source_url as debt_url, listed.owner_location,
  upcoming.id as auction_id, upcoming.source_url as sale_url, upcoming.sale_date,
  listed.parcel_key = upcoming.parcel_key as is_same_parcel
from listed
join upcoming on upcoming.county_fips = listed.county_fips and upcoming.parcel_key = listed.parcel_key

union

select
  listed.id as signal_id, listed.source_url as debt_url, listed.owner_location,
  upcoming.id as auction_id, upcoming.source_url as sale_url, upcoming.sale_date,
  listed.parcel_key = upcoming.parcel_key as is_same_parcel
from listed
join upcoming on upcoming.county_fips = listed.county_fips and upcoming.zip = listed.zip and upcoming.address_key = listed.address_key

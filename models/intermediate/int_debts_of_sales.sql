-- One row per tax debt and sheriff sale of the same property: of the same parcel, or of exactly the same address. Each
-- join has equalities alone: with OR, DuckDB would compare all debts of a county with all its sales.

with

debts as (
  select id as signal_id, source_url as debt_url, owner_location, county_fips, parcel_key, zip, address_key
  from signals
  where signal_state = 'listed'
),

sales as (
  select
    auctions.id as auction_id,
    auctions.source_url as sale_url,
    auctions.sale_date,
    auctions.county_fips,
    auctions.parcel_key,
    auctions.zip,
    auctions.address_key
  from auctions
  cross join run
  where is_upcoming(sale_status, sale_date, run.as_of)
),

pairs as (
  select
    signal_id, debt_url, owner_location, auction_id, sale_url, sale_date,
    debts.parcel_key = sales.parcel_key as is_same_parcel
  from debts
  join sales
    on sales.county_fips = debts.county_fips
    and sales.parcel_key = debts.parcel_key

  union

  select
    signal_id, debt_url, owner_location, auction_id, sale_url, sale_date,
    debts.parcel_key = sales.parcel_key as is_same_parcel
  from debts
  join sales
    on sales.county_fips = debts.county_fips
    and sales.zip = debts.zip
    and sales.address_key = debts.address_key
)

select
  *,
  if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
from pairs

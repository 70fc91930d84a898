-- One row per tax debt and upcoming sale of the same property: of the same parcel, or of exactly the same address. Two
-- homes of one building may be printed at its address, so they must share the parcel. Each join uses equalities only:
-- with OR, DuckDB would compare all debts of a county with all its sales.
-- Key: signal_id, auction_id
-- Not null: owner_location, auction_type, sale_date, match_basis

with

debts as (
  select
    signals.id as signal_id,
    signals.owner_location,
    signals.county_fips,
    signals.parcel_key,
    signals.zip,
    signals.address_key,
    condominiums.parcel_key is null or signals.unit_key is not null as is_identified_by_address
  from signals
  left join int_condominiums as condominiums
    on condominiums.county_fips = signals.county_fips
    and condominiums.parcel_key = signals.parcel_key
  where signals.signal_type = 'tax_delinquent'
    and signals.signal_state = 'listed'
),

sales as (
  select
    auctions.id as auction_id,
    auctions.auction_type,
    auctions.sale_date,
    auctions.county_fips,
    auctions.parcel_key,
    auctions.zip,
    auctions.address_key,
    condominiums.parcel_key is null or auctions.unit_key is not null as is_identified_by_address
  from auctions
  cross join run
  left join int_condominiums as condominiums
    on condominiums.county_fips = auctions.county_fips
    and condominiums.parcel_key = auctions.parcel_key
  where is_upcoming(sale_status, sale_date, run.as_of)
),

pairs as (
  select
    signal_id, owner_location, auction_id, auction_type, sale_date,
    debts.parcel_key = sales.parcel_key as is_same_parcel
  from debts
  join sales
    on sales.county_fips = debts.county_fips
    and sales.parcel_key = debts.parcel_key

  union

  select
    signal_id, owner_location, auction_id, auction_type, sale_date,
    debts.parcel_key = sales.parcel_key as is_same_parcel
  from debts
  join sales
    on sales.county_fips = debts.county_fips
    and sales.zip = debts.zip
    and sales.address_key = debts.address_key
  where debts.is_identified_by_address
    and sales.is_identified_by_address
)

select
  *,
  if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
from pairs

-- One row per tax debt and upcoming sale of the same property: of the same parcel, or of exactly the same address. Two
-- homes of one building may be printed at its address, so they must share the parcel. Each join uses equalities only:
-- with OR, DuckDB would compare all debts of a county with all its sales.
-- Key: signal_id, auction_id
-- Not null: owner_location, auction_type, sale_date, match_basis

with

records as (
  select *, not is_condominium or unit_key is not null as is_identified_by_address
  from int_distress_records
),

debts as (
  select *, record_id as signal_id from records where kind = 'tax_delinquent'
),

sales as (
  select *, record_id as auction_id, kind as auction_type from records where sale_date is not null
),

pairs as (
  select
    signal_id, debts.owner_location, auction_id, auction_type, sales.sale_date,
    debts.parcel_key = sales.parcel_key as is_same_parcel
  from debts
  join sales using (county_fips, parcel_key)

  union

  select
    signal_id, debts.owner_location, auction_id, auction_type, sales.sale_date,
    debts.parcel_key = sales.parcel_key as is_same_parcel
  from debts
  join sales using (county_fips, zip, address_key)
  where debts.is_identified_by_address
    and sales.is_identified_by_address
)

select
  *,
  if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
from pairs

-- One row per public record in force today: a listed signal or an upcoming sale.
-- Key: kind, record_id
-- Not null: county, source_url, last_seen, is_condominium

with

records as (
  select
    signal_type as kind,
    id as record_id,
    coalesce(record_number, parcel_id) as record_name,
    independent_kind_of(signal_type, null) as counts_as,
    county_fips, county, parcel_id, parcel_key, address, city, city_basis, zip,
    address_key, street_key, house_low, house_high, unit_key,
    amount, filed_on, description,
    owner_name, owner_location, mail_street, mail_city, mail_state, mail_zip,
    source, source_url, last_seen
  from signals
  where signal_state = 'listed'

  union all by name

  select
    auction_type as kind,
    id as record_id,
    case_number as record_name,
    independent_kind_of(auction_type, sale_kind) as counts_as,
    county_fips, county, parcel_id, parcel_key, property_address as address, city, zip,
    address_key, street_key, house_low, house_high, unit_key,
    sale_date,
    source, source_url, last_seen
  from auctions
  cross join run
  where is_upcoming(sale_status, sale_date, run.as_of)
)

select
  records.*,
  condominiums.parcel_key is not null as is_condominium
from records
left join int_condominiums as condominiums
  on condominiums.county_fips = records.county_fips
  and condominiums.parcel_key = records.parcel_key

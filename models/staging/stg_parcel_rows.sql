-- One row per row of a parcel layer or roll. A roll has every parcel of a county, and normalizing an address costs more
-- than reading a row. So only these parcels of a roll are included: those that a list, record or sale names, and those
-- at the house number and ZIP of a listing, list, record or sale.
-- Key: source, county_fips, parcel_raw
-- Not null: county, is_lot, city_is_municipality, source_url, observed_at, page_sha256, page_row

with

rolls as (
  select source
  from source_reads
  where contains(covered_kinds, 'parcel_roll')
),

wanted_parcels as (
  select county_fips, parcel_key_of(county_fips, parcel_raw) as parcel_key from staged_tax_parcel
  union
  select county_fips, parcel_key_of(county_fips, parcel_raw) from staged_auction
  union
  select county_fips, parcel_key_of(county_fips, parcel_raw) from staged_distress_record
  union
  select county_fips, parcel_key from previous_signals
  union
  select county_fips, parcel_key from previous_auctions
),

printed_addresses as (
  select street, zip from staged_listing
  union
  select street, zip from staged_tax_parcel
  union
  select street, zip from staged_auction
  union
  select street, zip from staged_distress_record
  union
  select address, zip from previous_signals
  union
  select property_address, zip from previous_auctions
  union
  select street, zip from previous_listing_history
),

wanted_houses as (
  select distinct left(zip, 5) as zip, first_number(street) as house
  from printed_addresses
  where zip is not null and first_number(street) <> ''
),

keyed_rows as (
  select
    parcels.*,
    parcel_key_of(county_fips, parcel_raw) as parcel_key,
    left(zip, 5) as zip_of_house,
    first_number(street) as house
  from staged_parcel as parcels
)

select keyed_rows.* exclude (zip_of_house, house)
from keyed_rows
where source not in (from rolls)
  or (county_fips, parcel_key) in (select (county_fips, parcel_key) from wanted_parcels)
  or (zip_of_house, house) in (select (zip, house) from wanted_houses)

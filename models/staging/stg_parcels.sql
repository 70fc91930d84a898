-- One row per parcel of a county's parcel layer or tax roll, with normalized parcel number and address.
-- Key: county_fips, parcel_key
-- Not null: parcel_id, source, source_url, observed_at

with

lot_rows as (
  select county_fips, parcel_raw, letters_and_digits(parcel_raw) as lot_key
  from stg_parcel_rows
  where is_lot
),

-- Prefixes of listed parcels, in each length of the county's lot numbers
listed_starts as (
  select
    listed.county_fips,
    listed.parcel_key,
    left(listed.parcel_key, lengths.lot_length) as lot_key
  from stg_tax_parcels as listed
  join (select distinct county_fips, length(lot_key) as lot_length from lot_rows) as lengths
    on lengths.county_fips = listed.county_fips
    and lengths.lot_length <= length(listed.parcel_key)
),

-- A prefix identifies a parcel only if exactly one listed parcel has it
lots as (
  select
    county_fips,
    lot_rows.parcel_raw,
    min(listed_starts.parcel_key) as parcel_key
  from lot_rows
  join listed_starts using (county_fips, lot_key)
  group by county_fips, lot_rows.parcel_raw
  having count(distinct listed_starts.parcel_key) = 1
),

parcels as (
  select
    layer.* exclude (parcel_key),
    coalesce(lots.parcel_key, layer.parcel_key, upper(trim(parcel_raw))) as parcel_key,
    addresses.* exclude (street, line_number)
  from stg_parcel_rows as layer
  left join lots using (county_fips, parcel_raw)
  left join stg_addresses as addresses
    on addresses.street = trim(layer.street)
    and addresses.line_number = 1
  where layer.is_lot is not true or lots.parcel_key is not null
)

select
  * exclude (
    parcel_raw, county, is_lot, city_is_municipality, mail_street, mail_city, mail_state, mail_zip, page_sha256,
    page_row
  ) replace (
    nullif(trim(street), '') as street,
    nullif(trim(city), '') as city,
    left(zip, 5) as zip,
    known_value(county_value) as county_value,
    known_value(taxed_value) as taxed_value,
    known_value(annual_taxes) as annual_taxes,
    nullif(trim(owner_name), '') as owner_name,
    nullif(last_sale_price, 0) as last_sale_price,
    case when last_sale_date is not null or last_sale_price > 0 then coalesce(last_sale_basis, 'unknown') end
      as last_sale_basis
  ),
  trim(parcel_raw) as parcel_id,
  case
    when nullif(trim(city), '') is null then null
    when city_is_municipality then 'municipality'
    else 'published'
  end as city_basis
from parcels
-- Some layers have a parcel twice, once for each of its shapes
qualify row_number() over (
  partition by county_fips, parcel_key
  order by is_lot, observed_at desc, address_key nulls last, street nulls last, source, page_row
) = 1

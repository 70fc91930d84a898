-- One row per parcel on a county's delinquency list, with normalized parcel number and addresses.
-- Key: source, county_fips, parcel_id

with

parcels as (
  select
    staged.*,
    coalesce(parcel_key_of(county_fips, parcel_raw), upper(trim(parcel_raw))) as parcel_key,
    addresses.* exclude (street, line_number),
    mail_addresses.street_key as mail_street_key,
    cast(mail_addresses.house_low as varchar) as mail_house
  from staged_tax_parcel as staged
  left join stg_addresses as addresses
    on addresses.street = trim(staged.street)
    and addresses.line_number = 1
  left join stg_addresses as mail_addresses
    on mail_addresses.street = trim(staged.mail_street)
    and mail_addresses.line_number = 1
)

select
  * exclude (parcel_raw) replace (
    trim(owner_name) as owner_name,
    nullif(trim(street), '') as street,
    trim(city) as city,
    left(zip, 5) as zip,
    trim(mail_street) as mail_street,
    trim(mail_city) as mail_city,
    upper(trim(mail_state)) as mail_state,
    left(mail_zip, 5) as mail_zip,
    known_value(county_value) as county_value
  ),
  signal_id_of(county_fips, parcel_key) as signal_id,
  trim(parcel_raw) as parcel_id,
  right(county, 2) as state,
  mail_kind_of(mail_street, is_po_box(mail_street), mail_street_key) as mail_kind
from parcels
where signal_id not in (select subject from staged_suppression)

-- One row per parcel on a county's delinquency list, with normalized parcel number and addresses.
-- Key: source, county_fips, parcel_id

with

parcels as (
  select
    staged.*,
    coalesce(parcel_key_of(county_fips, parcel_raw), upper(trim(parcel_raw))) as parcel_key,
    addresses.* exclude (street, line_number),
    mail_addresses.street_key as street_key_of_mail,
    mail_addresses.house_low as house_of_mail
  from staged_tax_parcel as staged
  left join stg_addresses as addresses
    on addresses.street = trim(staged.street)
    and addresses.line_number = 1
  left join stg_addresses as mail_addresses
    on mail_addresses.street = trim(staged.mail_street)
    and mail_addresses.line_number = 1
)

select
  signal_id_of(county_fips, parcel_key) as signal_id,
  county_fips,
  county,
  trim(parcel_raw) as parcel_id,
  parcel_key,
  trim(owner_name) as owner_name,

  -- Property
  nullif(trim(street), '') as street,
  trim(city) as city,
  right(county, 2) as state,
  left(zip, 5) as zip,
  address_key,
  street_key,
  house_low,
  house_high,
  unit_key,

  -- Mailing address of the owner
  trim(mail_street) as mail_street,
  trim(mail_city) as mail_city,
  upper(trim(mail_state)) as mail_state,
  left(mail_zip, 5) as mail_zip,
  street_key_of_mail as mail_street_key,
  cast(house_of_mail as varchar) as mail_house,
  mail_kind_of(mail_street, is_po_box(mail_street), street_key_of_mail) as mail_kind,

  -- Debt
  amount,
  amount_basis,
  years_delinquent,
  certified_year,
  paid_on,
  known_value(county_value) as county_value,
  property_class,

  -- Provenance
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from parcels
where signal_id not in (select subject from staged_suppression)

-- One row per kind, record number and parcel of each source, with normalized parcel number and addresses. A parcel
-- number that is a placeholder is null.
-- Key: source, signal_id

with

records as (
  select
    staged.*,
    parcel_key_of(county_fips, parcel_raw) as parcel_key,
    addresses.* exclude (street, line_number),
    mail_addresses.street_key as street_key_of_mail,
    mail_addresses.house_low as house_of_mail
  from staged_distress_record as staged
  left join stg_addresses as addresses
    on addresses.street = trim(staged.street)
    and addresses.line_number = 1
  left join stg_addresses as mail_addresses
    on mail_addresses.street = trim(staged.mail_street)
    and mail_addresses.line_number = 1
)

select
  record_signal_id_of(signal_type, county_fips, trim(record_number), parcel_key) as signal_id,
  county_fips,
  county,
  signal_type,
  trim(record_number) as record_number,
  case when parcel_key is not null then trim(parcel_raw) end as parcel_id,
  parcel_key,
  nullif(trim(owner_name), '') as owner_name,

  -- Property
  nullif(trim(street), '') as street,
  nullif(trim(city), '') as city,
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

  -- Record
  amount,
  amount_basis,
  filed_on,
  last_activity_on,
  record_state,
  state_raw,
  description,
  plaintiff,
  tax_year,
  property_class,

  -- Provenance
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from records
where signal_id not in (select subject from staged_suppression)
-- Two spellings of one parcel, or two placeholders, are one record
qualify row_number() over (
  partition by source, signal_id
  order by observed_at desc, parcel_raw nulls last, page_row
) = 1

-- One row per kind, record number and parcel of each source, with normalized parcel number and addresses. A parcel
-- number that is a placeholder is null.
-- Key: source, signal_id

with

records as (
  select
    staged.*,
    parcel_key_of(county_fips, parcel_raw) as parcel_key,
    addresses.* exclude (street, line_number),
    mail_addresses.street_key as mail_street_key,
    cast(mail_addresses.house_low as varchar) as mail_house
  from staged_distress_record as staged
  left join stg_addresses as addresses
    on addresses.street = trim(staged.street)
    and addresses.line_number = 1
  left join stg_addresses as mail_addresses
    on mail_addresses.street = trim(staged.mail_street)
    and mail_addresses.line_number = 1
)

select
  * exclude (parcel_raw) replace (
    trim(record_number) as record_number,
    nullif(trim(owner_name), '') as owner_name,
    nullif(trim(street), '') as street,
    nullif(trim(city), '') as city,
    left(zip, 5) as zip,
    trim(mail_street) as mail_street,
    trim(mail_city) as mail_city,
    upper(trim(mail_state)) as mail_state,
    left(mail_zip, 5) as mail_zip
  ),
  record_signal_id_of(signal_type, county_fips, trim(record_number), parcel_key) as signal_id,
  case when parcel_key is not null then trim(parcel_raw) end as parcel_id,
  right(county, 2) as state,
  mail_kind_of(mail_street, is_po_box(mail_street), mail_street_key) as mail_kind
from records
where signal_id not in (select subject from staged_suppression)
-- Two spellings of one parcel, or two placeholders, are one record
qualify row_number() over (
  partition by source, signal_id
  order by observed_at desc, parcel_raw nulls last, page_row
) = 1

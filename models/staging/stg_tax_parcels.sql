-- One row per parcel on a county's delinquency list, with normalized parcel number and addresses.

with

parcels as (
  select
    *,
    coalesce(parcel_key_of(county_fips, parcel_raw), upper(trim(parcel_raw))) as parcel_key,
    address_parts(street) as parts,
    address_parts(mail_street) as mail_parts
  from staged_tax_parcel
)

select
  uuid_of('tax_delinquent|' || county_fips || '|' || parcel_key) as signal_id,
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
  parts.address_key as address_key,
  parts.street_key as street_key,
  parts.house_low as house_low,
  parts.house_high as house_high,
  parts.unit_key as unit_key,

  -- Mailing address of the owner
  trim(mail_street) as mail_street,
  trim(mail_city) as mail_city,
  upper(trim(mail_state)) as mail_state,
  left(mail_zip, 5) as mail_zip,
  case when not is_po_box(mail_street) then mail_parts.street_key end as mail_street_key,
  case when not is_po_box(mail_street) then cast(mail_parts.house_low as varchar) end as mail_house,
  case
    when mail_street is null then 'unknown'
    when is_po_box(mail_street) then 'po_box'
    when mail_parts.street_key is null then 'unknown'
    else 'street'
  end as mail_kind,

  -- Debt
  amount,
  years_delinquent,
  certified_year,
  county_value,
  property_class,

  -- Provenance
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from parcels

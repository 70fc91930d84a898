-- One row per parcel of a county's parcel layer or tax roll whose owner may be an organization.
-- Key: county_fips, parcel_key
-- Not null: owner_name, observed_at

select
  county_fips,
  coalesce(parcel_key_of(county_fips, parcel_raw), upper(trim(parcel_raw))) as parcel_key,
  one_line(owner_name) as owner_name,
  one_line(mail_street) as mail_street,
  nullif(one_line(mail_city), '') as mail_city,
  upper(trim(mail_state)) as mail_state,
  left(mail_zip, 5) as mail_zip,
  observed_at
from staged_parcel
where may_be_organization(owner_name)
  and is_lot is not true
qualify row_number() over (
  partition by county_fips, parcel_key
  order by observed_at desc, owner_name, source, page_row
) = 1

-- One row per case, parcel and sale day as on the sale's page.
-- Key: source, county_fips, case_number, parcel_id?, sale_date

with

sales as (
  select
    staged.*,
    letters_and_digits(case_number) as case_key,
    parcel_key_of(county_fips, parcel_raw) as parcel_key,
    addresses.* exclude (street, line_number)
  from staged_auction as staged
  left join stg_addresses as addresses
    on addresses.street = trim(staged.street)
    and addresses.line_number = 1
)

select
  -- Clerks often print the parcel later than the case: until then the site's item number distinguishes the sales of a
  -- case
  uuid_of(
    auction_type || '|' || county_fips || '|' || case_key || '|'
      || coalesce(case when auction_type <> 'sheriff_sale' then item_id end, parcel_key, '') || '|' || sale_date
  ) as auction_id,
  trim(parcel_raw) as parcel_id,
  * exclude (parcel_raw) replace (
    trim(case_number) as case_number,
    nullif(trim(street), '') as street,
    trim(city) as city,
    upper(state) as state,
    left(zip, 5) as zip
  )
from sales
where auction_id not in (select subject from staged_suppression)

-- One row per case, parcel and sale day as on the sale's page.
-- Key: source, county_fips, case_number, parcel_id?, sale_date

with

sales as (
  select
    staged.* replace (
      -- Rows of earlier reads are all of Ohio and lack the kind
      coalesce(auction_type, 'sheriff_sale') as auction_type
    ),
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
  auction_type,
  county_fips,
  county,
  item_id,
  trim(case_number) as case_number,
  case_key,
  trim(parcel_raw) as parcel_id,
  parcel_key,

  -- Property
  nullif(trim(street), '') as street,
  trim(city) as city,
  upper(state) as state,
  left(zip, 5) as zip,
  address_key,
  street_key,
  house_low,
  house_high,
  unit_key,

  -- Sale
  sale_date,
  status,
  case_status_raw,
  slot_raw,
  sale_type_raw,
  sale_kind,
  sale_round,
  appraised_value,
  opening_bid,
  judgment_amount,
  assessed_value,
  plaintiff_max_bid,
  plaintiff_max_bid_raw,
  certificate_number,
  deposit,
  sold_amount,
  plaintiff,
  defendant,

  -- Provenance
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from sales
where auction_id not in (select subject from staged_suppression)

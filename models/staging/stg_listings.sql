-- One row per listing of a site, with its normalized address and its property.
-- Key: source, listing_id

with

addressed_listings as (
  select listings.*, addresses.* exclude (street, units)
  from staged_listing as listings
  left join stg_listing_addresses as addresses
    on addresses.street = trim(listings.street)
    and addresses.units is not distinct from listings.units
)

select
  -- The property: its address and ZIP, or the listing alone if the site hides the address
  uuid_of(case
    when address_key is not null then 'deal|' || address_key || '|' || zip
    else 'listing|' || source || '|' || listing_id
  end) as deal_id,

  -- Listing
  listing_id,
  listing_url,
  nullif(trim(street), '') as street,
  trim(city) as city,
  upper(state) as state,
  zip,
  list_price,
  units,
  units_0br,
  units_1br,
  units_2br,
  units_3br,
  units_4br,
  cap_rate,
  noi,
  annual_taxes,
  year_built,
  property_type,
  listed_on,
  off_market_on,
  unread_fields,
  availability,

  -- Normalized address
  address_key,
  street_key,
  house_low,
  house_high,
  unit_key,
  case
    when address_key is not null then 'available'
    when street is null then 'hidden_by_source'
    else 'no_house_number'
  end as address_status,

  -- Provenance
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from addressed_listings
where deal_id not in (select subject from staged_suppression)

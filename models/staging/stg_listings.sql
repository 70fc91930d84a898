-- One row per listing of a site, with its normalized address and its property.

with

addressed as (
  select *, listing_parts(street, units) as parts from staged_listing
)

select
  -- The property: its address and ZIP, or the listing alone if the site hides the address
  uuid_of(case
    when parts.address_key is not null then 'deal|' || parts.address_key || '|' || zip
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
  cap_rate,
  noi,
  year_built,
  property_type,
  listed_on,
  availability,

  -- Normalized address
  parts.address_key as address_key,
  parts.street_key as street_key,
  parts.house_low as house_low,
  parts.house_high as house_high,
  parts.unit_key as unit_key,
  case
    when parts.address_key is not null then 'available'
    when street is null then 'hidden_by_source'
    else 'no_house_number'
  end as address_status,

  -- Provenance
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from addressed

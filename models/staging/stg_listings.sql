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
  * replace (nullif(trim(street), '') as street, trim(city) as city, upper(state) as state),
  case
    when address_key is not null then 'available'
    when street is null then 'hidden_by_source'
    else 'no_house_number'
  end as address_status
from addressed_listings
where deal_id not in (select subject from staged_suppression)

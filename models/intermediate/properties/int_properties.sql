-- One row per property: its main listing, its other listings, and their history in this feed.
-- Key: id
-- Not null: as_of

with

listings as (
  select
    *,
    case
      when gone_on is not null then 'delisted'
      when availability = 'sold' then 'sold'
      when availability = 'under_contract' then 'under_contract'
      else 'active'
    end as listing_status
  from listing_history
  where is_latest
),

-- The main listing: for sale first, then with a price, then last seen, then with the most figures
ranked_listings as (
  select
    *,
    row_number() over (
      partition by deal_id
      order by
        list_position(['active', 'under_contract', 'sold', 'delisted'], listing_status),
        list_price is null,
        cast(version_last_seen as date) desc,
        (units is null)::integer + (cap_rate is null and noi is null)::integer + (year_built is null)::integer,
        listing_first_seen, source, listing_id
    ) as place,
    max(version_last_seen) over (partition by deal_id) as property_last_seen,
    min(listing_first_seen) filter (where listing_status <> 'delisted') over (
      partition by deal_id
    ) as first_seen_if_listed
  from listings
),

other_listings as (
  select
    deal_id,
    to_json(list(json_object(
      'source', source,
      'listing_id', listing_id,
      'listing_url', listing_url,
      'listing_status', listing_status,
      'list_price', as_text(list_price),
      'units', units,
      'cap_rate', as_text(cap_rate),
      'noi', as_text(noi),
      'first_seen', instant_text(listing_first_seen),
      'last_seen', instant_text(version_last_seen)
    ) order by source, listing_id)) as also_listed
  from ranked_listings
  where place > 1
  group by deal_id
),

main_listings as (
  select
    listings.*,
    coalesce(first_seen_if_listed, listing_first_seen) as first_seen,
    addresses.* exclude (street, units)
  from ranked_listings as listings
  left join stg_listing_addresses as addresses
    on addresses.street = listings.street
    and addresses.units is not distinct from listings.units
  where place = 1
)

select
  -- Property
  main_listings.deal_id as id,
  street as address,
  case
    when address_key is not null then 'available'
    when street is null then 'hidden_by_source'
    else 'no_house_number'
  end as address_status,
  address_key, street_key, house_low, house_high, unit_key, city, state, zip,

  -- Listing
  source, listing_id, listing_url, listing_status,
  gone_on as delisted_on,
  relisted,
  coalesce(other_listings.also_listed, '[]'::json) as also_listed,
  list_price, units, units_0br, units_1br, units_2br, units_3br, units_4br, cap_rate, noi, annual_taxes, year_built,
  property_type, listed_on, unread_fields,
  -- Land has no rent to underwrite
  not regexp_matches(coalesce(property_type, ''), '(?i)\b(?:land|lot|vacant)\b') as is_income_property,

  -- Times of this service's reads
  first_seen,
  property_last_seen as last_seen,
  version_last_seen as last_verified,
  days_since(first_seen, coalesce(gone_on, run.as_of)) as days_on_feed,
  case when list_price is not null then first_price end as first_price,
  case when list_price is not null
    then greatest(0, percentage(first_price - list_price, first_price)) end as price_reduction_pct,

  -- Provenance
  source_url, page_sha256, page_row,
  run.as_of as as_of
from main_listings
cross join run
left join other_listings on other_listings.deal_id = main_listings.deal_id

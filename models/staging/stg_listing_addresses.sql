-- One row per street and number of units of a listing, with the normalized address: that of the building where the
-- street names all its units.
-- Key: street, units?

with

listings as (
  select trim(street) as street, units from staged_listing
  union
  -- Keep listings that their site no longer shows
  select street, units from previous_listing_history
),

addresses as (
  select street, units, listing_parts(street, units) as parts
  from listings
  where street is not null
)

select
  street,
  units,
  parts.*
from addresses

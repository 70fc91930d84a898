-- One row per line of a street as published, normalized. A street that names two addresses has two lines. Other models
-- read the parts of addresses from here: each distinct street is normalized once.
-- Key: street, line_number

with

streets as (
  select trim(street) as street from stg_parcel_rows
  union
  select trim(street) from staged_auction
  union
  select trim(street) from staged_tax_parcel
  union
  select trim(mail_street) from staged_tax_parcel
  union
  select trim(street) from staged_distress_record
  union
  select trim(mail_street) from staged_distress_record
  union
  select trim(street) from staged_listing

  -- A row of an earlier snapshot may stay although no source shows it today
  union
  select address from previous_signals
  union
  select property_address from previous_auctions
  union
  select street from previous_listing_history
),

lists as (
  select street, addresses_of(street) as addresses
  from streets
),

numbered_addresses as (
  select
    street,
    generate_subscripts(addresses, 1) as line_number,
    unnest(addresses) as parts
  from lists
)

select
  street,
  cast(line_number as integer) as line_number,
  parts.*
from numbered_addresses

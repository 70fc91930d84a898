-- One row per record that changed since the previous snapshot, with its kind and place; for a gone record, its last
-- ones.
-- Key: list, record_id

with

moved as (
  select list, record_id as id, change = 'gone' as is_gone from int_record_changes
),

places as (
  select
    'deals' as list, id, false as is_gone,
    cast(null as varchar) as kind, state, county, county_fips, city, zip, metro
  from deals
  union all
  select 'deals' as list, id, true as is_gone, null as kind, state, county, county_fips, city, zip, metro
  from followed_deals
  union all
  select 'signals' as list, id, false as is_gone, signal_type as kind, state, county, county_fips, city, zip, metro
  from signals
  union all
  select 'signals' as list, id, true as is_gone, signal_type as kind, state, county, county_fips, city, zip, metro
  from followed_signals
  union all
  select 'auctions' as list, id, false as is_gone, auction_type as kind, state, county, county_fips, city, zip, metro
  from auctions
  union all
  select 'auctions' as list, id, true as is_gone, auction_type as kind, state, county, county_fips, city, zip, metro
  from followed_auctions
  union all
  select 'leads' as list, id, false as is_gone, lead_type as kind, state, county, county_fips, city, zip, metro
  from leads
  union all
  select 'leads' as list, id, true as is_gone, lead_type as kind, state, county, county_fips, city, zip, metro
  from followed_leads
  union all
  select
    'filings' as list, id, false as is_gone,
    source_state as kind, source_state as state, business_county as county, null as county_fips,
    business_city as city, business_zip as zip, cast(null as varchar) as metro
  from int_filings_compared
  union all
  select
    'filings' as list, id, true as is_gone,
    source_state as kind, source_state as state, business_county as county, null as county_fips,
    business_city as city, business_zip as zip, cast(null as varchar) as metro
  from int_filings_followed
)

select list, id as record_id, kind, state, county, county_fips, city, zip, metro
from places
semi join moved using (list, id, is_gone)

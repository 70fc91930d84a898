-- One row per deal and public record that matches it, or may.

with

records as (
  select id, true as is_match, unnest(cast(distress_matches as json[])) as record from deals
  union all
  select id, false as is_match, unnest(cast(distress_candidates as json[])) as record from deals
)

select
  deals.id as deal_id, deals.address, deals.city, deals.state, deals.zip,
  deals.county, deals.county_fips, deals.latitude, deals.longitude, deals.geo_basis, deals.metro,
  deals.list_price, deals.units, deals.deal_score, deals.listing_status, deals.source,
  records.is_match,
  record ->> 'match_basis' as match_basis,
  record ->> 'kind' as kind,
  cast(record ->> 'id' as uuid) as record_id,
  record ->> 'address' as record_address,
  record ->> 'parcel_id' as parcel_id,
  cast(record ->> 'amount' as decimal(14, 2)) as amount,
  cast(record ->> 'filed_on' as date) as filed_on,
  cast(record ->> 'sale_date' as date) as sale_date,
  record ->> 'source_url' as source_url,
  cast(record ->> 'last_seen' as timestamp with time zone) as last_seen
from records
join deals on deals.id = records.id
order by deal_id, is_match desc, kind, record_id

-- One row per listing and asking price, with the price before it.

with

prices as (
  select
    *,
    lag(list_price) over versions as price_before
  from listing_history
  where list_price is not null
  window versions as (partition by source, listing_id order by version)
)

select
  prices.deal_id, prices.source, prices.listing_id, prices.version,
  deals.address, deals.city, deals.state, deals.zip,
  deals.county, deals.county_fips, deals.latitude, deals.longitude, deals.geo_basis, deals.metro,
  prices.list_price,
  prices.price_before,
  prices.list_price - prices.price_before as price_change,
  prices.version_first_seen as seen_from,
  prices.is_latest,
  prices.gone_on
from prices
join deals on deals.id = prices.deal_id
where prices.price_before is distinct from prices.list_price
order by deal_id, source, listing_id, version

-- One row per deal for sale with its main columns.

select
  id, address, city, state, zip, county, county_fips, latitude, longitude, geo_basis, metro,
  list_price, units, price_per_unit,
  coalesce(cap_rate, cap_rate_derived) as cap_rate_claimed,
  cap_rate_underwritten, cap_gap_pct, noi_underwritten, dscr, underwrite_reliability,
  deal_score, confidence_score, rental_status, offer_low, offer_high,
  distress_status, price_reduction_pct, days_on_feed,
  why_this_is_interesting, source, listing_url,
  last_verified
from deals
where listing_status = 'active'
order by deal_score desc, id

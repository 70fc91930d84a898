-- Parcels on a tax list and on a sheriff's calendar at the same time: the debt, the sale, and the lead's score.
-- check: owed > 0 AND sale_date IS NOT NULL
-- rows: any
SELECT
  auctions.county, auctions.sale_date, auctions.property_address, auctions.appraised_value, auctions.opening_bid,
  signals.amount AS owed, signals.years_delinquent AS years, signals.owner_name, leads.lead_score AS score,
  auctions.source_url
FROM auctions
JOIN signals ON signals.county_fips = auctions.county_fips AND signals.parcel_key = auctions.parcel_key
LEFT JOIN leads ON leads.auction_id = auctions.id
WHERE auctions.sale_status = 'scheduled' AND signals.signal_state = 'listed' AND signals.amount > 0
ORDER BY auctions.sale_date, auctions.id;

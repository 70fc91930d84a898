-- Upcoming sales without the two-thirds minimum, or with another one: second sales of mortgage foreclosures, and
-- published opening bids that do not match the appraisal.
-- check: opening_bid_basis = 'no_minimum_second_sale' OR opening_bid_mismatch
-- rows: any
SELECT
  sale_date, county, case_number, property_address, appraised_value, opening_bid, opening_bid_basis,
  opening_bid_mismatch, statute_ref, previous_sale_date, source_url
FROM auctions
WHERE sale_status = 'scheduled' AND (opening_bid_basis = 'no_minimum_second_sale' OR opening_bid_mismatch)
ORDER BY sale_date, id;

-- Which sales to come have no two-thirds minimum, or one that is not two thirds: second sales of mortgage foreclosures,
-- and published figures that do not fit the appraisal.
-- check: opening_bid_basis = 'no_minimum_second_sale' OR opening_bid_mismatch
-- rows: any
SELECT sale_date, county, case_number, property_address, appraised_value, opening_bid, opening_bid_basis, opening_bid_mismatch, statute_ref, previous_sale_date, source_url
FROM auctions
WHERE sale_status = 'scheduled' AND (opening_bid_basis = 'no_minimum_second_sale' OR opening_bid_mismatch)
ORDER BY sale_date, id;

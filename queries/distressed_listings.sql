-- Listed properties with a distress record of exactly their address or parcel, one row per record.
-- check: match_basis = 'address_exact' OR match_basis = 'parcel_exact'
-- rows: any
SELECT
  deals.id, deals.address, deals.city, deals.list_price, deals.deal_score AS score, deals.distress_score,
  record.value ->> 'kind' AS kind,
  record.value ->> 'match_basis' AS match_basis,
  (record.value ->> 'amount')::DECIMAL(14, 2) AS owed,
  (record.value ->> 'sale_date')::DATE AS sale_date,
  record.value ->> 'source_url' AS county_page
FROM deals, json_each(distress_matches) AS record
WHERE deals.listing_status = 'active'
ORDER BY deals.distress_score DESC, deals.id, kind;

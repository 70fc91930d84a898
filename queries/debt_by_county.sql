-- Delinquent tax per county: parcels, total debt, and the share of parcels with a mailing address.
-- check: parcels > 0 AND mail_ready_pct BETWEEN 0 AND 100 AND (owed IS NULL OR owed >= 0)
-- rows: 1 or more
SELECT
  county,
  count(*) AS parcels,
  sum(amount) AS owed,
  median(amount) AS middle_debt,
  round(100 * avg(has_address::INT), 1) AS mail_ready_pct,
  round(100 * avg((owner_location = 'out_of_state')::INT), 1) AS out_of_state_pct
FROM signals
WHERE signal_state = 'listed'
GROUP BY ALL
ORDER BY owed DESC NULLS LAST, county;

-- Delinquent owners with the largest debt relative to the county's value, mail-ready and still on the list.
-- check: amount > 0 AND county_value > 0 AND abs(owed_pct - 100 * amount / county_value) <= 0.01
-- rows: 1 or more
SELECT
  county, parcel_id, address, owner_name, owner_location, amount, county_value, amount_to_value_pct AS owed_pct,
  years_delinquent AS years, source_url
FROM signals
WHERE signal_state = 'listed' AND has_address AND amount_to_value_pct IS NOT NULL AND amount > 0
ORDER BY amount_to_value_pct DESC, id
LIMIT 25;

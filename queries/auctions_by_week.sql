-- Upcoming sheriff sales per week (from its Monday): number, counties, and appraised value.
-- check: sales > 0 AND counties BETWEEN 1 AND sales AND dayofweek(week) = 1
-- rows: 1 or more
SELECT
  date_trunc('week', sale_date)::DATE AS week,
  count(*) AS sales,
  count(DISTINCT county) AS counties,
  count(opening_bid) AS with_opening_bid,
  sum(appraised_value) AS appraised,
  sum(opening_bid) AS opening_bids
FROM auctions
WHERE sale_status = 'scheduled'
GROUP BY ALL
ORDER BY week;

-- Every change of an asking price, with the price before it.
-- check: new_price <> old_price AND abs(change_pct - 100 * (new_price - old_price) / old_price) <= 0.01
-- rows: any
WITH versions AS (
  SELECT *, lag(list_price) OVER (PARTITION BY source, listing_id ORDER BY version) AS old_price FROM listing_history
)
SELECT
  version_first_seen::DATE AS seen_on, source, listing_id, city, state, old_price, list_price AS new_price,
  round(100 * (list_price - old_price) / old_price, 2) AS change_pct, deal_id, listing_url
FROM versions
WHERE list_price <> old_price
ORDER BY seen_on DESC, change_pct, source, listing_id;

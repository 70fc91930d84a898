-- Outcomes by score decile: the share of deals with a price cut, and of deals that left the market. Current scores
-- already know these outcomes, so this describes the market and does not test the score.
-- check: deals > 0 AND cut_pct BETWEEN 0 AND 100 AND gone_pct BETWEEN 0 AND 100 AND lowest <= highest
-- rows: 5 or more
WITH scored AS (
  SELECT *, ntile(10) OVER (ORDER BY deal_score, id) AS tenth
  FROM deals
  WHERE underwrite_reliability = 'ok'
)
SELECT
  tenth,
  count(*) AS deals,
  min(deal_score) AS lowest,
  max(deal_score) AS highest,
  round(100 * avg(coalesce(price_reduction_pct > 0, false)::INT), 1) AS cut_pct,
  round(100 * avg((listing_status <> 'active')::INT), 1) AS gone_pct,
  round(avg(days_on_feed), 1) AS days_on_feed
FROM scored
GROUP BY tenth
ORDER BY tenth DESC;

-- Deals whose HUD underwriting exceeds the broker's claim most: the largest negative gaps, where HUD's rent fits. A low
-- claim is also evidence against HUD's rent: read the listing first.
-- check: gap < 0 AND gap = claimed_cap - underwritten_cap
-- rows: 1 or more
SELECT
  id, city, state, units, list_price, coalesce(cap_rate, cap_rate_derived) AS claimed_cap,
  cap_rate_underwritten AS underwritten_cap, cap_gap_pct AS gap, deal_score AS score, listing_url
FROM deals
WHERE listing_status = 'active' AND underwrite_reliability = 'ok' AND cap_gap_pct < 0
ORDER BY cap_gap_pct, id
LIMIT 25;

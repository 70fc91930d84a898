-- Brokers' cap rates compared with HUD underwriting, per metro: median claim, median underwriting, and the share of
-- claims that are one point or more too high.
-- check: claims > 0 AND overclaimed_pct BETWEEN 0 AND 100
-- rows: 5 or more
SELECT
  coalesce(metro, 'other markets') AS metro,
  count(*) AS claims,
  round(median(coalesce(cap_rate, cap_rate_derived)), 2) AS claimed_cap,
  round(median(cap_rate_underwritten), 2) AS underwritten_cap,
  round(median(cap_gap_pct), 2) AS gap,
  round(100 * avg((cap_gap_pct >= 1)::INT), 1) AS overclaimed_pct
FROM deals
WHERE listing_status = 'active' AND underwrite_reliability = 'ok' AND cap_gap_pct IS NOT NULL
GROUP BY 1
ORDER BY gap DESC, metro;

-- Freshness per county: its sources, the age of their rows compared with the read interval, and problems.
-- check: sources > 0 AND (oldest_days IS NULL OR oldest_days >= 0)
-- rows: 5 or more
SELECT
  county,
  count(*) AS sources,
  string_agg(DISTINCT family, ', ' ORDER BY family) AS kinds,
  sum(rows_out + rows_carried) AS rows,
  max(age_days) AS oldest_days,
  count(*) FILTER (WHERE age_days > every_days) AS late,
  count(*) FILTER (WHERE last_good_at IS NULL) AS never_read,
  string_agg(DISTINCT reason, ', ' ORDER BY reason) AS reasons
FROM sources
WHERE county IS NOT NULL
GROUP BY county
ORDER BY late DESC, oldest_days DESC NULLS LAST, county;

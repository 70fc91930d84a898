-- Leads per county and kind: number, scores, and absentee owners.
-- check: leads > 0 AND lowest <= middle AND middle <= highest AND absentee <= leads
-- rows: 1 or more
SELECT
  county, lead_type,
  count(*) AS leads,
  min(lead_score) AS lowest,
  median(lead_score)::INT AS middle,
  max(lead_score) AS highest,
  count(*) FILTER (WHERE owner_location IN ('in_state', 'out_of_state')) AS absentee,
  count(*) FILTER (WHERE freshness = 'within_1_day') AS read_within_a_day
FROM leads
GROUP BY ALL
ORDER BY leads DESC, county, lead_type;

-- Registered agents with the most new businesses, per register. Agents with thousands are services, not owners.
-- check: filings > 0 AND first_filed <= last_filed AND of_register_pct BETWEEN 0 AND 100
-- rows: 5 or more
SELECT
  source_state AS register,
  registered_agent_name AS agent,
  count(*) AS filings,
  count(DISTINCT agent_zip) AS addresses,
  min(filing_date) AS first_filed,
  max(filing_date) AS last_filed,
  round(100 * count(*) / sum(count(*)) OVER (PARTITION BY source_state), 2) AS of_register_pct
FROM filings
WHERE registered_agent_status = 'available'
GROUP BY source_state, registered_agent_name
ORDER BY filings DESC, register, agent
LIMIT 25;

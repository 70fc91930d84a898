-- Rejected rows per source and reason, with one example as published.
-- check: refused > 0
-- rows: 1 or more
SELECT
  source, reason, count(*) AS refused,
  arg_min(detail, page_row) AS such_as,
  arg_min(raw, page_row) AS as_published,
  arg_min(page_url, page_row) AS page
FROM rejects
GROUP BY ALL
ORDER BY refused DESC, source, reason;

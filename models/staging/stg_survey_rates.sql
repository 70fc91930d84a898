-- One row per series and day of the interest rate surveys, from the source that was read last and has a figure.

select
  series,
  observed_on,
  rate_pct,
  is_made_up,
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from staged_survey_rate
-- For equal reads, freddie_pmms (the publisher's own) takes precedence over fred_rates
qualify row_number() over (
  partition by series, observed_on
  order by rate_pct is null, observed_at desc, source desc
) = 1

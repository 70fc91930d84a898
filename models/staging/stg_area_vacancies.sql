-- One row per metropolitan area and quarter of the Housing Vacancy Survey.

select
  area_name,
  year,
  quarter,
  ends_on,
  vacancy_pct,
  margin_pct,
  is_made_up,
  source,
  source_url,
  observed_at,
  page_sha256,
  page_row
from staged_area_vacancy

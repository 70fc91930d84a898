-- One row per county (or New England town) and fiscal year of HUD's Fair Market Rents.
-- Key: source, fips, fiscal_year, revision
-- Not null: county_fips, hud_area_name, fmr_2, effective_on, source_url, observed_at

select
  fips,
  county_fips,
  state,
  county_name,
  hud_area_code,
  -- Some names are published with double spaces
  regexp_replace(trim(hud_area_name), '\s+', ' ', 'g') as hud_area_name,
  fmr_0,
  fmr_1,
  fmr_2,
  fmr_3,
  fmr_4,
  population,
  fiscal_year,
  effective_on,
  revision,
  source,
  source_url,
  observed_at,
  page_sha256
from staged_fmr_area

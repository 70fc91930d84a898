-- One row per county (or New England town) and fiscal year of HUD's Fair Market Rents.
-- Key: source, fips, fiscal_year, revision
-- Not null: county_fips, hud_area_name, fmr_2, effective_on, source_url, observed_at

-- Some names are published with double spaces
select * replace (regexp_replace(trim(hud_area_name), '\s+', ' ', 'g') as hud_area_name)
from staged_fmr_area

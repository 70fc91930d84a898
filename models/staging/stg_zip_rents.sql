-- One row per ZIP, HUD area, fiscal year and release of HUD's small-area rents.
-- Key: source, zip, hud_area_code, fiscal_year, revision
-- Not null: hud_area_name, rent_0, rent_1, rent_2, rent_3, rent_4, effective_on, source_url, observed_at, page_sha256

-- Some names are published with double spaces
select * replace (regexp_replace(trim(hud_area_name), '\s+', ' ', 'g') as hud_area_name)
from staged_fmr_zip

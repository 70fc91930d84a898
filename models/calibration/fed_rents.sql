-- The counties of HUD's areas, with their people.
select
  fips[:5] as county_fips,
  hud_area_code,
  pop2022::integer as population
from fair_market_rents_file

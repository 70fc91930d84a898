-- The census's rents, taxes and values of the metropolitan areas of our ZIPs.
select
  *,
  ratio_6(median_tax, median_value) as tax_rate,
  2024 as vintage,
  'American Community Survey 2020-2024, five-year tables' as source,
  date '2024-12-31' as as_of
from census_areas
where cbsa in (select regexp_extract(hud_area_code, '^METRO(\d{5})', 1) from ref_hud_zips)

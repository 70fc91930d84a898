-- The census's rents, taxes and values of the metropolitan areas of our ZIPs.
select
  cbsa,
  name,
  gross_rent_0,
  gross_rent_1,
  gross_rent_2,
  gross_rent_3,
  gross_rent_4,
  median_gross_rent,
  median_tax,
  median_value,
  ratio_6(median_tax, median_value) as tax_rate,
  parameter('census_vintage')::integer as vintage,
  parameter('census_source') as source,
  parameter('census_as_of')::date as as_of
from census_answers
where cbsa in (select regexp_extract(hud_area_code, '^METRO(\d{5})', 1) from ref_hud_zips)

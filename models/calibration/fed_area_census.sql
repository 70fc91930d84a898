-- The census's areas in the form of the staged rows: metropolitan areas, and the counties of the sample.
select
  'metro' as geography,
  cbsa as area_code,
  name as area_name,
  parameter('census_vintage')::integer as vintage,
  gross_rent_0,
  gross_rent_1,
  gross_rent_2,
  gross_rent_3,
  gross_rent_4,
  median_gross_rent,
  median_tax,
  median_value,
  'census' as source
from census_answers
union all by name
select
  'county' as geography,
  fips as area_code,
  county as area_name,
  parameter('census_vintage')::integer as vintage,
  census_figure("B25064_median_gross_rent", 'census_top_rent') as median_gross_rent,
  census_figure("B25103_median_real_estate_taxes", 'census_top_tax') as median_tax,
  census_figure("B25077_median_home_value", 'census_top_value') as median_value,
  'census' as source
from counties_file

-- One row per metropolitan area or county and vintage of the census's medians.

select
  geography,
  area_code,
  area_name,
  vintage,
  median_gross_rent,
  median_contract_rent,
  gross_rent_0,
  gross_rent_1,
  gross_rent_2,
  gross_rent_3,
  gross_rent_4,
  median_tax,
  median_value,
  source,
  source_url,
  observed_at,
  page_sha256
from staged_area_census

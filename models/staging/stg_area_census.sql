-- One row per metropolitan area or county and vintage of the census's medians.
-- Key: source, geography, area_code, vintage
-- Not null: area_name, source_url

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
from staged_area_census;

-- audit medians_positive: a median is above zero
select * from stg_area_census
where least(median_gross_rent, median_value) <= 0;

-- warning contract_within_gross: a median contract rent is at most the gross rent, which adds utilities
select * from stg_area_census
where median_contract_rent > median_gross_rent;

-- One row per metropolitan area or county and vintage of the census's medians.
-- Key: source, geography, area_code, vintage
-- Not null: area_name, source_url

select * from staged_area_census;

-- audit medians_positive: a median is above zero
select * from stg_area_census
where least(median_gross_rent, median_value) <= 0;

-- warning contract_within_gross: a median contract rent is at most the gross rent, which adds utilities
select * from stg_area_census
where median_contract_rent > median_gross_rent;

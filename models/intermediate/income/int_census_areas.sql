-- One row per HUD area: the census's rents, taxes and values of its metropolitan area, and its largest county. The
-- source's newest figures take precedence over the calibrated table.
-- Key: hud_area_code
-- Not null: metro_basis

with

cbsas as (
  select distinct
    rent_area_code as hud_area_code,
    cbsa_of(rent_area_code) as cbsa
  from int_market_rents
  where rent_area_code is not null
),

-- A listing has no county: use the county with the most people of the HUD area
counties as (
  select
    hud_area_code,
    county_fips,
    count(*) over (partition by hud_area_code) = 1 as is_only_county
  from (
    select hud_area_code, county_fips, sum(population) as people
    from stg_rents
    where hud_area_code is not null
    group by hud_area_code, county_fips
  )
  qualify row_number() over (partition by hud_area_code order by people desc nulls last, county_fips) = 1
),

newest as (
  select *
  from stg_area_census
  qualify row_number() over (
    partition by geography, area_code
    order by vintage desc, observed_at desc, source
  ) = 1
),

of_metro as (select * from newest where geography = 'metro'),

of_county as (select * from newest where geography = 'county')

select
  cbsas.hud_area_code,
  cbsas.cbsa,
  case
    when of_metro.area_code is not null then 'metro_of_source'
    when calibrated.cbsa is not null then 'metro_of_reference'
    else 'unknown'
  end as metro_basis,
  coalesce(of_metro.area_name, calibrated.name) as metro_name,
  coalesce(of_metro.vintage, calibrated.vintage) as metro_vintage,
  case when of_metro.area_code is not null then of_metro.gross_rent_0 else calibrated.gross_rent_0 end as gross_rent_0,
  case when of_metro.area_code is not null then of_metro.gross_rent_1 else calibrated.gross_rent_1 end as gross_rent_1,
  case when of_metro.area_code is not null then of_metro.gross_rent_2 else calibrated.gross_rent_2 end as gross_rent_2,
  case when of_metro.area_code is not null then of_metro.gross_rent_3 else calibrated.gross_rent_3 end as gross_rent_3,
  case when of_metro.area_code is not null then of_metro.gross_rent_4 else calibrated.gross_rent_4 end as gross_rent_4,
  case when of_metro.area_code is not null
    then percentage(of_metro.median_tax, of_metro.median_value)
    else percentage(calibrated.median_tax, calibrated.median_value)
  end as metro_tax_rate_pct,
  coalesce(of_metro.source, calibrated.source) as metro_source,
  of_metro.source_url as metro_source_url,

  counties.county_fips,
  counties.is_only_county,
  of_county.area_name as county_name,
  of_county.vintage as county_vintage,
  of_county.median_contract_rent as county_contract_rent,
  of_county.median_gross_rent as county_gross_rent,
  percentage(of_county.median_tax, of_county.median_value) as county_tax_rate_pct,
  of_county.source as county_source,
  of_county.source_url as county_source_url
from cbsas
left join counties on counties.hud_area_code = cbsas.hud_area_code
left join of_metro on of_metro.area_code = cbsas.cbsa
left join ref_census_metros as calibrated on calibrated.cbsa = cbsas.cbsa
left join of_county on of_county.area_code = counties.county_fips

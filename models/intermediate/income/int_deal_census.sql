-- One row per property: the census's medians of the metropolitan area of its HUD area, and of its own county. Where the
-- county is unknown, that with the most people of the HUD area in the property's state counts. The tax rate is that of
-- the county, else of the metropolitan area. The source's newest figures take precedence over the calibrated table.
-- Key: id
-- Not null: metro_basis, county_basis, tax_rate_basis

with

largest_counties as (
  select hud_area_code, counties.state, county_fips
  from stg_rents as rents
  join ref_counties as counties using (county_fips)
  where hud_area_code is not null
  group by hud_area_code, counties.state, county_fips
  qualify row_number() over (
    partition by hud_area_code, counties.state
    order by sum(rents.population) desc nulls last, county_fips
  ) = 1
),

newest as (
  select *
  from stg_area_census
  qualify row_number() over (
    partition by geography, area_code
    order by vintage desc, observed_at desc, source
  ) = 1
),

areas as (
  select *, percentage(median_tax, median_value) as tax_rate_pct
  from (
    select * exclude (page_sha256), 'metro_of_source' as metro_basis
    from newest

    union all by name

    select * exclude (cbsa, name, tax_rate, as_of), cbsa as area_code, name as area_name, 'metro' as geography,
      'metro_of_reference' as metro_basis
    from ref_census_metros
    where cbsa not in (select area_code from newest where geography = 'metro')
  )
),

found as (
  select
    properties.id, metros, counties,
    coalesce(metros.metro_basis, 'unknown') as metro_basis,
    case
      when places.county_fips is not null then 'county'
      when largest_counties.county_fips is not null then 'largest_county_of_area'
      else 'unknown'
    end as county_basis,
    case
      when counties.tax_rate_pct is not null then counties
      when metros.tax_rate_pct is not null then metros
    end as rate
  from int_properties as properties
  join int_market_rents as rents on rents.id = properties.id
  left join int_deal_places as places on places.id = properties.id
  left join largest_counties
    on largest_counties.hud_area_code = rents.rent_area_code
    and largest_counties.state = properties.state
  left join areas as metros
    on metros.geography = 'metro'
    and metros.area_code = cbsa_of(rents.rent_area_code)
  left join areas as counties
    on counties.geography = 'county'
    and counties.area_code = coalesce(places.county_fips, largest_counties.county_fips)
)

select
  id,
  metro_basis,
  metros.area_name as metro_name,
  metros.vintage as metro_vintage,
  metros.gross_rent_0, metros.gross_rent_1, metros.gross_rent_2, metros.gross_rent_3, metros.gross_rent_4,
  metros.source as metro_source,
  metros.source_url as metro_source_url,
  metros.observed_at as metro_observed_at,

  county_basis,
  counties.area_name as county_name,
  counties.vintage as county_vintage,
  counties.median_contract_rent as county_contract_rent,
  counties.median_gross_rent as county_gross_rent,
  counties.source as county_source,
  counties.source_url as county_source_url,
  counties.observed_at as county_observed_at,

  case rate.geography when 'county' then county_basis when 'metro' then metro_basis else 'declared' end
    as tax_rate_basis,
  rate.tax_rate_pct,
  rate.area_name as tax_rate_area,
  rate.vintage as tax_rate_year,
  rate.source as tax_rate_source,
  rate.source_url as tax_rate_source_url,
  rate.observed_at as tax_rate_observed_at
from found

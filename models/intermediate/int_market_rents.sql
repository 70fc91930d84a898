-- One row per property: HUD's 2-bedroom rent where it stands, that of its ZIP before that of its HUD area. A listing
-- tells its ZIP and not its county, so the areas come from HUD's own lists of the ZIPs of each area. Where a ZIP lies
-- in several, the lowest rent counts.

with

as_of as (select as_of from run),

properties as (select id, zip from int_properties),

-- All counties of an area have its rent: the newest figures in force on the day, a revision before the original
areas as (
  select stg_rents.*
  from stg_rents
  cross join as_of
  where effective_on <= as_of.as_of and hud_area_code is not null
  qualify row_number() over (
    partition by hud_area_code
    order by fiscal_year desc, revision <> 'original' desc, effective_on desc, fmr_2, fips, source
  ) = 1
),

newest_zip_rents as (
  select stg_zip_rents.*
  from stg_zip_rents
  cross join as_of
  where effective_on <= as_of.as_of
  qualify row_number() over (
    partition by zip, hud_area_code, basis
    order by fiscal_year desc, revision <> 'original' desc, effective_on desc, rent_2, source
  ) = 1
),

-- A figure older than the area's does not count. Where the greater of two rents is published, only one above the
-- area's is known to be the ZIP's own.
zip_rents as (
  select newest_zip_rents.*
  from newest_zip_rents
  left join areas on areas.hud_area_code = newest_zip_rents.hud_area_code
  where
    (areas.fiscal_year is null or newest_zip_rents.fiscal_year >= areas.fiscal_year)
    and (basis = 'zip' or (newest_zip_rents.fiscal_year = areas.fiscal_year and newest_zip_rents.rent_2 > areas.fmr_2))
  qualify row_number() over (
    partition by newest_zip_rents.zip, newest_zip_rents.hud_area_code
    order by newest_zip_rents.fiscal_year desc, basis = 'zip' desc
  ) = 1
),

-- This year's small-area rents list all areas of their ZIPs; the list at hand is for the others
areas_of_zips as (
  select zip, hud_area_code from zip_rents
  union
  select zip, hud_area_code from ref_hud_zips
  where zip not in (select zip from zip_rents where basis = 'zip')
),

candidates as (
  select
    properties.id,
    areas_of_zips.hud_area_code,
    zip_rents.zip is not null as of_zip,
    coalesce(zip_rents.rent_2, areas.fmr_2) as rent_2,
    coalesce(zip_rents.hud_area_name, areas.hud_area_name) as hud_area_name,
    coalesce(zip_rents.fiscal_year, areas.fiscal_year) as fiscal_year,
    coalesce(zip_rents.source, areas.source) as source,
    coalesce(zip_rents.source_url, areas.source_url) as source_url,
    coalesce(zip_rents.observed_at, areas.observed_at) as observed_at,
    count(*) over (partition by properties.id) as areas_of_zip
  from properties
  join areas_of_zips on areas_of_zips.zip = properties.zip
  left join areas on areas.hud_area_code = areas_of_zips.hud_area_code
  left join zip_rents on zip_rents.zip = properties.zip and zip_rents.hud_area_code = areas_of_zips.hud_area_code
),

chosen as (
  select *
  from candidates
  where rent_2 is not null
  qualify row_number() over (partition by id order by rent_2, hud_area_code) = 1
)

select
  properties.id,
  chosen.rent_2 as market_rent_2br,
  case
    when chosen.id is null then 'unknown'
    else
      case when chosen.of_zip then 'zip' else 'metro' end
      || case when chosen.areas_of_zip > 1 then '_lowest_of_several' else '' end
  end as rent_basis,
  chosen.hud_area_code as rent_area_code,
  chosen.hud_area_name as rent_area_name,
  chosen.fiscal_year as rent_fiscal_year,
  chosen.source as rent_source,
  chosen.source_url as rent_source_url,
  chosen.observed_at as rent_observed_at
from properties
left join chosen on chosen.id = properties.id

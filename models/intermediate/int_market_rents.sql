-- One row per property: HUD's 2-bedroom rent where it stands. A listing tells its ZIP and not its county, so the HUD
-- area comes from HUD's own list of the ZIPs of each area. Where a ZIP lies in several, the lowest rent counts.

with

as_of as (select as_of from run),

properties as (select id, zip from int_properties),

zips as (select * from ref_hud_zips),

-- All counties of an area have its rent: the newest figures in force on the day, a revision before the original
areas as (
  select stg_rents.*
  from stg_rents
  cross join as_of
  where effective_on <= as_of.as_of
  qualify row_number() over (
    partition by hud_area_code
    order by fiscal_year desc, revision = 'revised' desc, effective_on desc, fmr_2, fips, source
  ) = 1
),

candidates as (
  select
    properties.id,
    areas.*,
    count(*) over (partition by properties.id) as areas_of_zip
  from properties
  join zips on zips.zip = properties.zip
  left join areas on areas.hud_area_code = zips.hud_area_code
),

chosen as (
  select *
  from candidates
  where fmr_2 is not null
  qualify row_number() over (partition by id order by fmr_2, hud_area_code) = 1
)

select
  properties.id,
  chosen.fmr_2 as market_rent_2br,
  case
    when chosen.id is null then 'unknown'
    when chosen.areas_of_zip > 1 then 'metro_lowest_of_several'
    else 'metro'
  end as rent_basis,
  chosen.hud_area_code as rent_area_code,
  chosen.hud_area_name as rent_area_name,
  chosen.fiscal_year as rent_fiscal_year,
  chosen.source_url as rent_source_url,
  chosen.observed_at as rent_observed_at
from properties
left join chosen on chosen.id = properties.id

-- One row per property: HUD's rents by bedrooms at its address. ZIP-level rents take precedence over those of the HUD
-- area. A listing has a ZIP and no county, so the areas come from HUD's own lists of the ZIPs of each area. If a ZIP is
-- in several areas, the lowest 2-bedroom rent counts.
-- Key: id

with

-- All counties of an area share its rent: the newest figures in force on the day; a revision takes precedence over the
-- original
areas as (
  select stg_rents.*
  from stg_rents
  cross join run
  where effective_on <= run.as_of and hud_area_code is not null
  qualify row_number() over (
    partition by hud_area_code
    order by fiscal_year desc, revision <> 'original' desc, effective_on desc, fmr_2, fips, source
  ) = 1
),

-- A figure older than the area's does not count
zip_rents as (
  select zips.*
  from stg_zip_rents as zips
  cross join run
  left join areas on areas.hud_area_code = zips.hud_area_code
  where zips.effective_on <= run.as_of and (areas.fiscal_year is null or zips.fiscal_year >= areas.fiscal_year)
  qualify row_number() over (
    partition by zips.zip, zips.hud_area_code
    order by zips.fiscal_year desc, zips.revision <> 'original' desc, zips.effective_on desc, zips.rent_2, zips.source
  ) = 1
),

-- This year's small-area rents list all areas of their ZIPs; the reference table covers the other ZIPs
areas_of_zips as (
  select zip, hud_area_code from zip_rents
  union
  select zip, hud_area_code from ref_hud_zips
  where zip not in (select zip from zip_rents)
),

candidates as (
  select
    properties.id,
    areas_of_zips.hud_area_code,
    zip_rents.zip is not null as of_zip,
    coalesce(zip_rents.rent_0, areas.fmr_0) as rent_0,
    coalesce(zip_rents.rent_1, areas.fmr_1) as rent_1,
    coalesce(zip_rents.rent_2, areas.fmr_2) as rent_2,
    coalesce(zip_rents.rent_3, areas.fmr_3) as rent_3,
    coalesce(zip_rents.rent_4, areas.fmr_4) as rent_4,
    areas.fmr_0, areas.fmr_1, areas.fmr_2, areas.fmr_3, areas.fmr_4,
    coalesce(zip_rents.hud_area_name, areas.hud_area_name) as hud_area_name,
    coalesce(zip_rents.fiscal_year, areas.fiscal_year) as fiscal_year,
    coalesce(zip_rents.source, areas.source) as source,
    coalesce(zip_rents.source_url, areas.source_url) as source_url,
    coalesce(zip_rents.observed_at, areas.observed_at) as observed_at,
    count(*) over (partition by properties.id) as areas_of_zip
  from int_properties as properties
  join areas_of_zips on areas_of_zips.zip = properties.zip
  left join areas on areas.hud_area_code = areas_of_zips.hud_area_code
  left join zip_rents on zip_rents.zip = properties.zip and zip_rents.hud_area_code = areas_of_zips.hud_area_code
),

lowest_rents as (
  select *
  from candidates
  where rent_2 is not null
  qualify row_number() over (partition by id order by rent_2, hud_area_code) = 1
)

select
  properties.id,
  lowest_rents.rent_2 as market_rent_2br,
  lowest_rents.rent_0 as market_rent_0br,
  lowest_rents.rent_1 as market_rent_1br,
  lowest_rents.rent_3 as market_rent_3br,
  lowest_rents.rent_4 as market_rent_4br,

  -- Area-wide rents, for the comparison with the census
  lowest_rents.fmr_0 as area_rent_0br,
  lowest_rents.fmr_1 as area_rent_1br,
  lowest_rents.fmr_2 as area_rent_2br,
  lowest_rents.fmr_3 as area_rent_3br,
  lowest_rents.fmr_4 as area_rent_4br,

  case
    when lowest_rents.id is null then 'unknown'
    else
      case when lowest_rents.of_zip then 'zip' else 'metro' end
      || case when lowest_rents.areas_of_zip > 1 then '_lowest_of_several' else '' end
  end as rent_basis,
  lowest_rents.hud_area_code as rent_area_code,
  lowest_rents.hud_area_name as rent_area_name,
  lowest_rents.fiscal_year as rent_fiscal_year,
  lowest_rents.source as rent_source,
  lowest_rents.source_url as rent_source_url,
  lowest_rents.observed_at as rent_observed_at,
  -- Rents older than the source's newest year have expired
  case
    when lowest_rents.fiscal_year < reads.fiscal_year then 'newer_fiscal_year_published'
    when reads.outdated_on <= run.as_of then reads.outdated_reason
  end as rent_outdated_reason
from int_properties as properties
cross join run
left join lowest_rents on lowest_rents.id = properties.id
left join source_reads as reads on reads.source = lowest_rents.source

-- Apartment buildings of the assessor's worksheets: market rents, no shops. His NOI is after property tax. From 2026
-- the worksheet has the tax in the cap rate instead of the ratio, and it is deducted here. A property that several
-- years show counts once, with its newest year.

with

newest as (
  select *
  from worksheets_file
  qualify row_number() over (partition by keypin order by year desc, address) = 1
),

worksheets as (
  select
    keypin,
    year,
    nullif(total_units::decimal(9, 0)::integer, 0) as stated_units,
    studio::decimal(9, 0)::integer as units_0br,
    br1::decimal(9, 0)::integer as units_1br,
    br2::decimal(9, 0)::integer as units_2br,
    br3::decimal(9, 0)::integer as units_3br,
    br4::decimal(9, 0)::integer as units_4br,
    yearbuilt::decimal(9, 0)::integer as year_built,
    pgi::decimal(14, 2) as potential,
    egi::decimal(14, 2) as effective,
    rounded(noi::decimal(14, 2) - coalesce(taxload::decimal(14, 6), 0) * mv::decimal(14, 2)) as noi,
    mv::decimal(14, 2) as market_value
  from newest
  where coalesce(commsf::decimal(14, 2), 0) = 0
    and "use" not like '%SAP%'
)

select
  'assessor' as population,
  year,
  keypin as id,
  1 as weight,
  potential,
  effective - noi as expenses,
  noi,
  market_value as list_price,
  null::decimal(14, 2) as annual_taxes,
  coalesce(stated_units, units_0br + units_1br + units_2br + units_3br + units_4br) as units,
  units_0br,
  units_1br,
  units_2br,
  units_3br,
  units_4br,
  nullif(year_built, 0) as year_built,
  'IL' as state,
  rents.hud_area_code as rent_area_code,
  rents.fmr_0::decimal(14, 2) as market_rent_0br,
  rents.fmr_1::decimal(14, 2) as market_rent_1br,
  rents.fmr_2::decimal(14, 2) as market_rent_2br,
  rents.fmr_3::decimal(14, 2) as market_rent_3br,
  rents.fmr_4::decimal(14, 2) as market_rent_4br
from worksheets
join fair_market_rents_file as rents on rents.stusps = 'IL' and rents.countyname = 'Cook County'
where market_value > 0

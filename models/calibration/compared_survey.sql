-- Properties of the survey of landlords with the owner's own NOI, in dollars of 2011: complete answers, no subsidy that
-- sets the rents, a value and an area rent. The file has no place: the 2-bedroom rent of the area is known, and rents
-- of other bedrooms have the median ratio of HUD's counties to it.

with

ratios as (
  select
    median_ratio(list(ratio_6(fmr_0, fmr_2))) as br_0,
    median_ratio(list(ratio_6(fmr_1, fmr_2))) as br_1,
    median_ratio(list(ratio_6(fmr_3, fmr_2))) as br_3,
    median_ratio(list(ratio_6(fmr_4, fmr_2))) as br_4
  from fair_market_rents_file
)

select
  'survey' as population,
  null::varchar as year,
  properties.property as id,
  properties.weight,
  properties.potential,
  ratios_of_owners.expenses,
  ratios_of_owners.collected - ratios_of_owners.expenses as noi,
  properties.market_value as list_price,
  properties.property_tax as annual_taxes,
  properties.units,
  null::integer as units_0br,
  null::integer as units_1br,
  null::integer as units_2br,
  null::integer as units_3br,
  null::integer as units_4br,
  properties.year_built,
  null as state,
  null as rent_area_code,
  rounded(fair_market_rent * ratios.br_0) as market_rent_0br,
  rounded(fair_market_rent * ratios.br_1) as market_rent_1br,
  fair_market_rent as market_rent_2br,
  rounded(fair_market_rent * ratios.br_3) as market_rent_3br,
  rounded(fair_market_rent * ratios.br_4) as market_rent_4br
from expense_ratios as ratios_of_owners
join survey_properties as properties on properties.property = ratios_of_owners.property
cross join ratios
where not properties.is_subsidized
  and properties.market_value > 0
  and properties.fair_market_rent > 0

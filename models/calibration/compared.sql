-- Properties whose own NOI is known, in the form of the project's properties. `place` is the part that is trained or
-- tested on as a whole: a rounded area rent, a township, a loan.

with

-- Owners' statements in dollars of 2011: complete answers, no subsidy that sets the rents, a value and an area rent.
-- The file has no place: rents of other bedrooms have the median ratio of HUD's counties to the 2-bedroom rent.
rent_ratios as (
  select
    median(ratio_6(fmr_0, fmr_2)) as br_0,
    median(ratio_6(fmr_1, fmr_2)) as br_1,
    median(ratio_6(fmr_3, fmr_2)) as br_3,
    median(ratio_6(fmr_4, fmr_2)) as br_4
  from fair_market_rents_file
),

owners as (
  select
    'owners' as population,
    rent_group as place,
    property as id,
    weight,
    collected - expenses as noi,
    market_value as list_price,
    property_tax as annual_taxes,
    units,
    year_built,
    rounded(fair_market_rent * br_0) as market_rent_0br,
    rounded(fair_market_rent * br_1) as market_rent_1br,
    fair_market_rent as market_rent_2br,
    rounded(fair_market_rent * br_3) as market_rent_3br,
    rounded(fair_market_rent * br_4) as market_rent_4br
  from survey
  cross join rent_ratios
  where expenses is not null and not is_subsidized and market_value > 0 and fair_market_rent > 0
),

-- The assessor's model, newest year of a property: market rents, no shops. His NOI is after property tax; from 2026 the
-- tax is in the cap rate, and is deducted here.
worksheets as (
  select * from worksheets_file
  qualify row_number() over (partition by keypin order by year desc, address) = 1
),

assessor as (
  select
    'assessor' as population,
    regexp_extract(township, '^(.*?)(\.| 20|$)', 1) as place,
    keypin as id,
    1 as weight,
    rounded(noi::decimal(14, 2) - coalesce(taxload::decimal(14, 6), 0) * mv::decimal(14, 2)) as noi,
    mv::decimal(14, 2) as list_price,
    studio::decimal(9, 0)::integer as units_0br,
    br1::decimal(9, 0)::integer as units_1br,
    br2::decimal(9, 0)::integer as units_2br,
    br3::decimal(9, 0)::integer as units_3br,
    br4::decimal(9, 0)::integer as units_4br,
    coalesce(
      nullif(total_units::decimal(9, 0)::integer, 0), units_0br + units_1br + units_2br + units_3br + units_4br
    ) as units,
    nullif(yearbuilt::decimal(9, 0)::integer, 0) as year_built,
    'IL' as state,
    'Cook County' as county
  from worksheets
  where coalesce(commsf::decimal(14, 2), 0) = 0 and "use" not like '%SAP%' and mv::decimal(14, 2) > 0
),

-- Securitized loans in one county: the newest statement of a whole year, else the lender's figure
statements as (
  select
    "propertyName" as name,
    max_by("mostRecentNetOperatingIncomeAmount"::decimal(14, 2), "mostRecentFinancialsEndDate"::date) as noi
  from statements_file
  where "mostRecentFinancialsEndDate"::date - "mostRecentFinancialsStartDate"::date between 349 and 379
  group by name
),

loans as (
  select
    'loans' as population,
    deal as place,
    deal || ' ' || asset as id,
    1 as weight,
    coalesce(statements.noi, noi_uw::decimal(14, 2)) as noi,
    valuation::decimal(14, 2) as list_price,
    units::integer as units,
    year_built::integer as year_built,
    state,
    county || ' County' as county
  from loans_file
  left join statements using (name)
),

placed as (
  select
    properties.*,
    rents.hud_area_code as rent_area_code,
    rents.fmr_0::decimal(14, 2) as market_rent_0br,
    rents.fmr_1::decimal(14, 2) as market_rent_1br,
    rents.fmr_2::decimal(14, 2) as market_rent_2br,
    rents.fmr_3::decimal(14, 2) as market_rent_3br,
    rents.fmr_4::decimal(14, 2) as market_rent_4br
  from (from assessor union all by name from loans) as properties
  join fair_market_rents_file as rents on rents.stusps = properties.state and rents.countyname = properties.county
)

from placed
union all by name
from owners

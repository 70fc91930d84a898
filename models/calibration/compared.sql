-- Properties whose own NOI is known, in the form of the project's properties. `place` is the part that is trained or
-- tested on as a whole: a rounded area rent, a township, a trust.

with

-- Owners' statements in dollars of 2011: complete answers, no subsidy that sets the rents, a value and an area rent.
-- The file has no place: rents of other bedrooms have the median ratio of HUD's counties to the 2-bedroom rent.
rent_ratios as (select median(ratio_6(columns('fmr_[0134]'), fmr_2)) from fair_market_rents_file),

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
    rounded(fair_market_rent * fmr_0) as market_rent_0br,
    rounded(fair_market_rent * fmr_1) as market_rent_1br,
    fair_market_rent as market_rent_2br,
    rounded(fair_market_rent * fmr_3) as market_rent_3br,
    rounded(fair_market_rent * fmr_4) as market_rent_4br
  from survey
  cross join rent_ratios
  where expenses is not null and not is_subsidized and market_value > 0 and fair_market_rent > 0
),

-- The assessor's model, newest year of a property: market rents, no shops. His NOI is after property tax; from 2026 the
-- tax is in the cap rate, and is deducted here.
assessor as (
  select
    'assessor' as population,
    regexp_extract(township, '^(.*?)(\.| 20|$)', 1) as place,
    keypin as id,
    1 as weight,
    rounded(noi::decimal(14, 2) - coalesce(taxload::decimal(14, 6), 0) * mv::decimal(14, 2)) as noi,
    mv::decimal(14, 2) as list_price,
    studio::double::integer as units_0br,
    br1::double::integer as units_1br,
    br2::double::integer as units_2br,
    br3::double::integer as units_3br,
    br4::double::integer as units_4br,
    coalesce(
      nullif(total_units::double::integer, 0), units_0br + units_1br + units_2br + units_3br + units_4br
    ) as units,
    nullif(yearbuilt::double::integer, 0) as year_built,
    'IL' as state,
    'Cook County' as county
  from (
    from worksheets_file
    qualify row_number() over (partition by keypin order by year desc, address) = 1
  )
  where coalesce(commsf::double, 0) = 0 and "use" not like '%SAP%' and mv::double > 0
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
)

select properties.*, hud_area_code as rent_area_code, columns('fmr_(.)')::decimal(14, 2) as 'market_rent_\1br'
from (from assessor union all by name from loans) as properties
join fair_market_rents_file as rents on rents.stusps = properties.state and rents.countyname = properties.county
union all by name
from owners

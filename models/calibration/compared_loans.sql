-- Buildings of securitized loans in one county: the newest statement of a whole year where there is one, else the NOI
-- that the lender underwrote.

with

whole_years as (
  select
    "propertyName" as name,
    "mostRecentNetOperatingIncomeAmount"::decimal(14, 2) as noi,
    "operatingExpensesAmount"::decimal(14, 2) as expenses,
    "mostRecentFinancialsEndDate"::date as ends_on
  from statements_file
  where is_whole_year("mostRecentFinancialsStartDate"::date, "mostRecentFinancialsEndDate"::date)
),

-- The months of a year repeat its statement
statements as (
  select name, max_by(noi, ends_on) as noi, max_by(expenses, ends_on) as expenses
  from whole_years
  where noi is not null
  group by name
)

select
  'loans' as population,
  null::varchar as year,
  loans.deal || ' ' || loans.asset as id,
  1 as weight,
  null::decimal(14, 2) as potential,
  coalesce(statements.expenses, loans.opex_uw::decimal(14, 2)) as expenses,
  coalesce(statements.noi, loans.noi_uw::decimal(14, 2)) as noi,
  loans.valuation::decimal(14, 2) as list_price,
  null::decimal(14, 2) as annual_taxes,
  loans.units::integer as units,
  null::integer as units_0br,
  null::integer as units_1br,
  null::integer as units_2br,
  null::integer as units_3br,
  null::integer as units_4br,
  loans.year_built::integer as year_built,
  loans.state,
  rents.hud_area_code as rent_area_code,
  rents.fmr_0::decimal(14, 2) as market_rent_0br,
  rents.fmr_1::decimal(14, 2) as market_rent_1br,
  rents.fmr_2::decimal(14, 2) as market_rent_2br,
  rents.fmr_3::decimal(14, 2) as market_rent_3br,
  rents.fmr_4::decimal(14, 2) as market_rent_4br
from loans_file as loans
join fair_market_rents_file as rents
  on rents.stusps = loans.state and rents.countyname = loans.county || ' County'
left join statements on statements.name = loans.name

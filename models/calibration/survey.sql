-- One row per property of the survey of landlords, by the codes of its book. Tax is published in bands and counts as
-- the middle of its band; the open one has none. `expenses` is null unless the answer is complete: taxed, run for
-- profit, every line but `other` answered, and a ratio of 0.10 to 1.20. An owner who manages and pays nobody is charged
-- a fee, as a lender would.

with

answers as (
  select
    "CONTROLPUF" as property,
    "WEIGHT"::decimal(20, 10) as weight,
    "FMR22012" as rent_group,
    "NUMUNITS_R"::integer as units,
    [1919, 1939, 1959, 1969, 1979, 1989, 1999, 2004, 2006, 2008, 2010, 2012][nullif("YROLDBLG_R", '-9')::integer]
      as year_built,
    [0, 250.5, 750, 1375, 2125, 2875, 3625, 4500, 5500, 6500, 8500, 13750, 21250, 31250, 43750, 62500, 112500, 225000]
      [nullif("OPTAX_R", '-9')::integer + 1]::decimal(14, 2) as property_tax,
    answer("TOTCOLL") as collected,
    answer("OPPAY") as payroll,
    answer("OPINSUR") as insurance,
    answer("OPUTIL") as owner_utilities,
    answer("OPREP") as repairs,
    answer("OPMNG") as management,
    answer("OPPROTH") as professional,
    answer("OPSECUR") as security,
    answer("OPLAND") as grounds,
    answer("OPOTHEX") as other,
    answer("MRKTVAL_R") as market_value,
    answer("FMR22012") as fair_market_rent,
    answer(columns('BED(._R)'))::integer as 'units_\1',
    "MNGMNT" = '1' and management <= 0 and payroll <= 0 as is_unpaid_manager,
    '1' in ("LOWINCTC", "PBS8V", "RSUBSIDY") as is_subsidized,
    "OPTAX_R" <> '0' and "OWNENT" not in ('13', '14') and collected > 0 as is_counted,
    case when units <= 12 then 0.08 when units <= 24 then 0.07 when units <= 49 then 0.065 else 0.05 end as fee
  from survey_file
),

sized as (
  select
    answers.*,
    sizes.size,
    case when vintage is null then ['any'] else ['any', vintage] end as vintages,
    property_tax + payroll + insurance + owner_utilities + repairs + management + professional + security + grounds
      + coalesce(other, 0) + case when is_unpaid_manager then rounded(collected * fee) else 0 end as all_paid
  from answers
  join ref_building_sizes as sizes on units between sizes.least_units and coalesce(sizes.most_units, units)
  left join ref_building_vintages as own_vintages
    on year_built between coalesce(own_vintages.first_year, year_built) and coalesce(own_vintages.last_year, year_built)
)

select
  *,
  case when is_counted and ratio_6(all_paid, collected) between 0.10 and 1.20 then all_paid end as expenses,
  ratio_6(expenses, collected) as ratio
from sized

-- One row per property of the survey of landlords, by the codes of its book: -9 is not reported (null), -8 not
-- applicable (nothing paid). Tax is published in bands and counts as the middle of its band; the open one has none.
-- `expenses` is null unless the answer is complete: taxed, run for profit, every line but `other` answered, and a ratio
-- within the declared limits. An owner who manages and pays nobody is charged the fee of the size, as a lender would.

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
    "OPTAX_R" <> '0' as is_taxed,
    "OWNENT" not in ('13', '14') as is_for_profit,
    "MNGMNT" = '1' as is_managed_by_owner,
    '1' in ("LOWINCTC", "PBS8V", "RSUBSIDY") as is_subsidized,
    answer("TOTCOLL") as collected,
    answer("POTENTIAL") as potential,
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
    answer("BED0_R")::integer as units_0br,
    answer("BED1_R")::integer as units_1br,
    answer("BED2_R")::integer as units_2br,
    answer("BED3_R")::integer as units_3br,
    answer("BED4_R")::integer as units_4br
  from survey_file
),

sized as (
  select
    answers.*,
    sizes.size,
    vintages.vintage,
    property_tax + payroll + insurance + owner_utilities + repairs + management + professional + security + grounds
      + coalesce(other, 0)
      + case
        when is_managed_by_owner and management <= 0 and payroll <= 0
          then rounded(collected * fees.value::decimal(6, 4))
        else 0
      end as all_paid
  from answers
  join ref_building_sizes as sizes
    on answers.units between sizes.least_units and coalesce(sizes.most_units, answers.units)
  join declared_assumptions as fees on fees.key = 'management_share_' || sizes.size
  left join ref_building_vintages as vintages
    on answers.year_built between
      coalesce(vintages.first_year, answers.year_built) and coalesce(vintages.last_year, answers.year_built)
)

select
  *,
  is_for_profit and is_taxed and collected > 0 as is_counted,
  case
    when is_counted and ratio_6(all_paid, collected) between 0.10 and 1.20 then all_paid
  end as expenses,
  ratio_6(expenses, collected) as ratio
from sized

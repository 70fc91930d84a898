-- One row per property of the Rental Housing Finance Survey. The file's codes are read by the labels of its code book:
-- -9 is not reported (null), -8 not applicable (nothing paid). Tax is published in bands and counts as the middle of
-- the band; the highest one has no end and no middle.

with

codes as (
  select
    "Variable" as variable,
    "Value" as code,
    "Value_Label" as label,
    [number::integer for number in regexp_extract_all("Value_Label", '\d+')] as numbers
  from survey_labels
),

tax_bands as (
  select distinct
    code,
    case
      when label = '0' then 0
      when len(numbers) = 2 then quotient(numbers[1] + numbers[2] + 1, 2)
    end::decimal(14, 2) as tax
  from codes
  where variable = 'OPTAX_R'
),

-- The last year of "1920 to 1939" and of "1919 or earlier" decides: no class crosses the limits of the vintages
years as (
  select distinct
    codes.code,
    codes.numbers[-1] as last_year,
    vintages.vintage
  from codes
  left join ref_building_vintages as vintages
    on codes.numbers[-1] between
      coalesce(vintages.first_year, codes.numbers[-1]) and coalesce(vintages.last_year, codes.numbers[-1])
  where variable = 'YROLDBLG_R' and len(numbers) > 0
),

answers as (
  select
    "CONTROLPUF" as property,
    exact_weight("WEIGHT") as weight,
    "NUMUNITS_R"::integer as units,
    "OWNENT" as owner_code,
    "MNGMNT" as manager_code,
    "OPTAX_R" as tax_code,
    "YROLDBLG_R" as year_code,
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
    '1' in ("LOWINCTC", "PBS8V", "RSUBSIDY") as is_subsidized,
    answer("MRKTVAL_R") as market_value,
    answer("FMR22012") as fair_market_rent,
    answer("BED0_R")::integer as units_0br,
    answer("BED1_R")::integer as units_1br,
    answer("BED2_R")::integer as units_2br,
    answer("BED3_R")::integer as units_3br,
    answer("BED4_R")::integer as units_4br
  from survey_file
)

select
  answers.*,
  sizes.size,
  pooled_size(sizes.size) as pooled_size,
  years.vintage,
  years.last_year as year_built,
  tax_bands.tax as property_tax,
  coalesce(tax_bands.tax <> 0, true) as is_taxed,
  coalesce(not regexp_matches(owners.label, '^(Nonprofit|Housing cooperative)'), true) as is_for_profit,
  coalesce(managers.label like 'Property owner or unpaid agent%', false) as is_managed_by_owner
from answers
join ref_building_sizes as sizes
  on answers.units between sizes.least_units and coalesce(sizes.most_units, answers.units)
left join years on years.code = answers.year_code
left join tax_bands on tax_bands.code = answers.tax_code
left join (select distinct code, label from codes where variable = 'OWNENT') as owners
  on owners.code = answers.owner_code and owners.code <> '-9'
left join (select distinct code, label from codes where variable = 'MNGMNT') as managers
  on managers.code = answers.manager_code

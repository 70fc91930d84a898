-- One row per property: the simple proxy. Every unit earns HUD's 2-bedroom rent, and one ratio covers all expenses. NOI
-- is computed from unrounded gross potential rent and effective income.
-- Key: id
-- Not null: expense_adjustment_pct

with

terms as (
  select
    assumption('utility_share')::decimal(6, 4) as utility_share,
    assumption('vacancy')::decimal(6, 4) as vacancy,
    assumption('months_per_year')::decimal(2, 0) as months_per_year,
    assumption('expense_ratio_2_4')::decimal(6, 4) as expense_ratio_small,
    assumption('expense_ratio_5_12')::decimal(6, 4) as expense_ratio_medium,
    assumption('expense_ratio_13_50')::decimal(6, 4) as expense_ratio_large,
    assumption('expense_ratio_51_up')::decimal(6, 4) as expense_ratio_largest,
    assumption('small_units_max')::integer as small_units_max,
    assumption('medium_units_max')::integer as medium_units_max,
    assumption('large_units_max')::integer as large_units_max,
    assumption('old_before_year')::integer as old_before_year,
    assumption('new_from_year')::integer as new_from_year,
    assumption('expense_old_adjustment')::decimal(6, 4) as expense_old_adjustment,
    assumption('expense_new_adjustment')::decimal(6, 4) as expense_new_adjustment
),

incomes as (
  select
    properties.id,
    properties.list_price,
    case
      when properties.units is null then null
      when properties.units <= small_units_max then expense_ratio_small
      when properties.units <= medium_units_max then expense_ratio_medium
      when properties.units <= large_units_max then expense_ratio_large
      else expense_ratio_largest
    end as expense_ratio_of_size,
    case
      when properties.year_built < old_before_year then expense_old_adjustment
      when properties.year_built >= new_from_year then expense_new_adjustment
      else 0
    end as expense_adjustment,
    expense_ratio_of_size + expense_adjustment as expense_ratio,
    wide(properties.units) * rents.market_rent_2br * (1 - utility_share) * months_per_year as gross_potential,
    gross_potential * (1 - vacancy) as effective_income
  from int_properties as properties
  cross join terms
  join int_market_rents as rents on rents.id = properties.id
)

select
  id,
  rounded(expense_ratio_of_size * 100) as expense_ratio_of_size_pct,
  rounded(expense_adjustment * 100) as expense_adjustment_pct,
  rounded(effective_income * (1 - expense_ratio)) as noi_hud_2br,
  percentage(noi_hud_2br, list_price) as cap_rate_hud_2br
from incomes

-- One row per property: the simple proxy. Every unit earns HUD's 2-bedroom rent, and one ratio covers all expenses. NOI
-- is computed from unrounded gross potential rent and effective income.
-- Key: id

with

inputs as (
  select * from int_properties join int_market_rents using (id) cross join terms
),

incomes as (
  select
    *,
    wide(units) * market_rent_2br * (1 - utility_share) * months_per_year * (1 - vacancy) as effective_income,
    case
      when units is null then null
      when units <= small_units_max then expense_ratio_2_4
      when units <= medium_units_max then expense_ratio_5_12
      when units <= large_units_max then expense_ratio_13_50
      else expense_ratio_51_up
    end as expense_ratio_of_size,
    case
      when year_built < old_before_year then expense_old_adjustment
      when year_built >= new_from_year then expense_new_adjustment
      else 0
    end as expense_adjustment
  from inputs
)

select
  id,
  rounded(effective_income * (1 - (expense_ratio_of_size + expense_adjustment))) as noi_hud_2br,
  percentage(noi_hud_2br, list_price) as cap_rate_hud_2br
from incomes

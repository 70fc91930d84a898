-- Ours over theirs, for properties whose own NOI is positive: NOI by the underwriting at today's tax and by the simple
-- proxy, and the underwriting's rents and expenses. One row per figure, property and cell in which the property counts.

with

figures as (
  select
    compared.population,
    compared.year,
    cells.size,
    cells.vintage,
    compared.weight,
    ratio_6(expenses.noi_at_current_tax, compared.noi) as underwriting,
    ratio_6(proxies.noi_hud_2br, compared.noi) as proxy,
    ratio_6(expenses.gross_potential_rent, nullif(compared.potential, 0)) as rent,
    ratio_6(expenses.effective_gross_income - expenses.noi_at_current_tax, nullif(compared.expenses, 0)) as expenses
  from compared
  join int_building_cells as cells on cells.id = compared.id
  join int_expenses as expenses on expenses.id = compared.id
  join int_hud_proxies as proxies on proxies.id = compared.id
  where compared.noi > 0 and expenses.noi_at_current_tax is not null and proxies.noi_hud_2br is not null
),

ratios as (
  unpivot figures
  on underwriting, proxy, rent, expenses
  into name figure value ratio
)

select concat_ws(' ', population, size, vintage, 'all', figure) as cell, ratio as value, weight
from ratios
where vintage <> 'any'
union all
select concat_ws(' ', population, size, 'any', 'all', figure), ratio, weight
from ratios
union all
select concat_ws(' ', population, size, 'any', year, figure), ratio, weight
from ratios
where year is not null

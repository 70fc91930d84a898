-- Ours over theirs, for properties whose own NOI is positive: by the underwriting at today's tax, and by the simple
-- proxy. One row per property and cell in which it counts.

with

figures as (
  select
    compared.population,
    cells.size,
    cells.vintage,
    compared.weight,
    compared.noi,
    expenses.noi_at_current_tax,
    proxies.noi_hud_2br
  from compared
  join int_building_cells as cells on cells.id = compared.id
  join int_expenses as expenses on expenses.id = compared.id
  join int_hud_proxies as proxies on proxies.id = compared.id
  where compared.noi > 0
),

ratios as (
  select
    *,
    ratio_6(noi_at_current_tax, noi) as underwriting_ratio,
    ratio_6(noi_hud_2br, noi) as proxy_ratio
  from figures
  where noi_at_current_tax is not null and noi_hud_2br is not null
)

select population || ' ' || size || ' ' || vintage as cell, underwriting_ratio, proxy_ratio, weight
from ratios
where vintage <> 'any'
union all
select population || ' ' || size || ' any', underwriting_ratio, proxy_ratio, weight
from ratios

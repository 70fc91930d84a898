-- Operating expenses over collected rent by size and vintage: the median, drawn toward its prior as 30 properties. The
-- prior of a size is the median of all; that of a cell is its size's drawn median plus the mean difference between the
-- vintage and the sizes.

with

ratios as (
  select unnest([size || ' ' || vintage for vintage in vintages] || ['all any']) as cell, ratio as value, weight
  from trained
  where ratio is not null
),

cells as (
  select split_part(cell, ' ', 1) as size, split_part(cell, ' ', 2) as vintage, * replace (rounded_4(median) as median)
  from weighted_statistics('ratios')
),

of_sizes as (
  select sizes.*, drawn_toward(every.median, sizes.median, sizes.n_eff) as shrunk
  from cells as sizes
  join cells as every on every.size = 'all'
  where sizes.size <> 'all' and sizes.vintage = 'any'
),

differences as (
  select cells.vintage, share_of(sum((cells.median - shrunk) * cells.n_eff), sum(cells.n_eff)) as difference
  from cells
  join of_sizes using (size)
  where cells.vintage <> 'any'
  group by cells.vintage
)

select
  cells.size, cells.vintage, cells.median,
  drawn_toward(
    case when cells.vintage = 'any' then every.median else shrunk + difference end, cells.median, cells.n_eff
  ) as shrunk,
  cells.n,
  cells.n_eff,
  survey_source() as source,
  survey_as_of() as as_of
from cells
join of_sizes on of_sizes.size = cells.size
join cells as every on every.size = 'all'
left join differences on differences.vintage = cells.vintage

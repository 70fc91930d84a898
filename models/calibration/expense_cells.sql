-- Operating expenses over collected rent by size and vintage. The shrunk ratio is the cell's median shrunk toward its
-- prior as 30 properties: the size's median shrunk toward that of all, plus the mean difference between the vintage and
-- the sizes. A cell with fewer than 15 effective properties shows the quartiles of its size.

with

ratios as (
  select unnest([size || ' ' || vintage, size || ' any', 'all any']) as cell, ratio as value, weight
  from trained
  where ratio is not null
),

statistics as (
  select
    split_part(cell, ' ', 1) as size,
    split_part(cell, ' ', 2) as vintage,
    * replace (rounded_4(q1) as q1, rounded_4(median) as median, rounded_4(q3) as q3)
  from weighted_statistics('ratios')
),

of_sizes as (
  select sizes.*, drawn_toward(every.median, sizes.median, sizes.n_eff) as shrunk
  from statistics as sizes
  join statistics as every on every.size = 'all'
  where sizes.size <> 'all' and sizes.vintage = 'any'
),

differences as (
  select
    cells.vintage,
    share_of(sum((cells.median - of_sizes.shrunk) * cells.n_eff), sum(cells.n_eff)) as difference
  from statistics as cells
  join of_sizes on of_sizes.size = cells.size
  where cells.vintage <> 'any'
  group by cells.vintage
),

drawn as (
  select cells.*, drawn_toward(of_sizes.shrunk + differences.difference, cells.median, cells.n_eff) as shrunk
  from statistics as cells
  join of_sizes on of_sizes.size = cells.size
  join differences on differences.vintage = cells.vintage
  union all by name
  from of_sizes
)

select
  drawn.size,
  drawn.vintage,
  shown.q1,
  shown.median,
  shown.q3,
  drawn.shrunk,
  drawn.n,
  drawn.n_eff,
  case when drawn.n_eff < 15 then 'parent' else 'cell' end as basis,
  survey_source() as source,
  survey_as_of() as as_of
from drawn
join statistics as shown
  on shown.size = drawn.size
  and shown.vintage = case when drawn.n_eff < 15 then 'any' else drawn.vintage end

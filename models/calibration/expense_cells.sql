-- Operating expenses over collected rent by size and vintage. The shrunk ratio is the cell's median shrunk toward its
-- prior: the size's median shrunk toward that of all, plus the mean difference between the vintage and the sizes.

with

terms as (
  select
    parameter('prior_n')::decimal(13, 1) as prior_n,
    parameter('thin_n_eff')::decimal(13, 1) as thin_n_eff
),

statistics as (
  select
    split_part(cell, ' ', 1) as size,
    split_part(cell, ' ', 2) as vintage,
    n,
    n_eff,
    rounded_4(q1) as q1,
    rounded_4(median) as median,
    rounded_4(q3) as q3
  from weighted_quartiles('expense_ratio_values')
),

of_all as (select median from statistics where size = 'all'),

of_sizes as (
  select
    statistics.*,
    drawn_toward(of_all.median, statistics.median, statistics.n_eff, prior_n) as shrunk
  from statistics
  cross join of_all
  cross join terms
  where size <> 'all' and vintage = 'any'
),

cells as (select * from statistics where vintage <> 'any'),

differences as (
  select
    cells.vintage,
    share_of(sum((cells.median - of_sizes.shrunk) * cells.n_eff), sum(cells.n_eff)) as difference
  from cells
  join of_sizes on of_sizes.size = cells.size
  group by cells.vintage
),

drawn as (
  select
    cells.*,
    drawn_toward(of_sizes.shrunk + differences.difference, cells.median, cells.n_eff, prior_n) as shrunk
  from cells
  join of_sizes on of_sizes.size = cells.size
  join differences on differences.vintage = cells.vintage
  cross join terms
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
  case when drawn.n_eff < thin_n_eff then 'parent' else 'cell' end as basis,
  parameter('survey_source') as source,
  parameter('survey_as_of')::date as as_of
from drawn
cross join terms
join statistics as shown
  on shown.size = drawn.size
  and shown.vintage = case when drawn.n_eff < thin_n_eff then 'any' else drawn.vintage end

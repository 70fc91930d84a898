-- Whether the score predicts outcomes: score decile against what happened within 30, 60 and 90 days of each landmark,
-- with Wilson's 95 % interval. The row without a decile covers all deals. Shares are exact, rounded once; the bounds
-- have a square root.
-- Reads followed_deals.

with

-- A decile with fewer deals than least_n has no share
limits as (select 30 as least_n, 1.96 as z),

counts as (
  select
    landmark,
    outcome,
    days,
    decile,
    count(*) as n,
    count(*) filter (where happened) as hits
  from followed_deals
  -- Deals count twice: in their decile, and in the row of all deals, whose decile is null
  group by grouping sets ((landmark, outcome, days, decile), (landmark, outcome, days))
),

-- Every combination has a row, even without history
grid as (
  select landmark, outcome, days, decile
  from (select unnest([0, 7, 30, 60, 90]) as landmark)
  cross join (
    select unnest(['price_cut', 'off_market', 'sold', 'withdrawn', 'sale_held', 'debt_cleared']) as outcome
  )
  cross join (select unnest([30, 60, 90]) as days)
  cross join (select unnest(list_append(range(1, 11), null)) as decile)
),

shares as (
  select
    grid.*,
    coalesce(n, 0) as n,
    coalesce(hits, 0) as hits,
    hits / n as share
  from grid
  left join counts
    on counts.landmark = grid.landmark
    and counts.outcome = grid.outcome
    and counts.days = grid.days
    and counts.decile is not distinct from grid.decile
),

-- Wilson's interval: (center -+ margin) / (1 + z^2 / n)
intervals as (
  select
    *,
    share + z * z / (2 * n) as center,
    z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) as margin,
    1 + z * z / n as scale
  from shares
  cross join limits
)

select
  cast(landmark as integer) as landmark,
  outcome,
  cast(days as integer) as days,
  cast(decile as integer) as decile,
  cast(n as integer) as n,
  cast(hits as integer) as hits,
  case when n >= least_n then 'measured' else 'not enough history' end as status,
  case when n >= least_n then cast(nearest(1000 * hits, n) as double) / 10 end as share_pct,
  case when n >= least_n then round(100 * greatest(0, (center - margin) / scale), 1) end as low_pct,
  case when n >= least_n then round(100 * least(1, (center + margin) / scale), 1) end as high_pct
from intervals
order by
  landmark,
  list_position(['price_cut', 'off_market', 'sold', 'withdrawn', 'sale_held', 'debt_cleared'], outcome),
  days,
  decile nulls last

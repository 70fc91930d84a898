-- Does the score foretell anything? Score decile against what happened within 30, 60 and 90 days, with Wilson's 95 %
-- interval. Each deal counts once, as it stood in the first snapshot that scored it for sale: nothing learned later is
-- used, and a deal counts for a horizon only where snapshots reach to its end. Deals of equal score share a decile.
-- The row without a decile is of all deals together.
-- Reads three views over all snapshots of a data folder: deal_days, signal_days, auction_days, each with as_of.

with

horizons as (select unnest([30, 60, 90]) as days),

-- Fewer deals than this in a decile say nothing
demands as (select 30 as least_n, 1.96 as z),

followed as (select max(as_of) as until from deal_days),

scored as (
  select id, as_of as scored_on, deal_score, list_price, distress_matches
  from deal_days
  where listing_status = 'active'
  qualify row_number() over (partition by id order by as_of) = 1
),

ranked as (
  select *, 1 + (10 * (rank() over (order by deal_score) - 1)) // count(*) over () as decile
  from scored
),

matches as (
  select scored.id, scored_on, match.value ->> 'kind' as kind, match.value ->> 'id' as record_id
  from scored, json_each(distress_matches) as match
),

-- First day on which each thing was seen to have happened, for the deals to which it could
happened as (
  select ranked.id, 'price_cut' as outcome, min(later.as_of) filter (where later.list_price < ranked.list_price) as on_day
  from ranked left join deal_days as later on later.id = ranked.id and later.as_of > scored_on
  where ranked.list_price is not null
  group by ranked.id
  union all
  select ranked.id, 'off_market', min(later.as_of) filter (where later.listing_status in ('delisted', 'sold'))
  from ranked left join deal_days as later on later.id = ranked.id and later.as_of > scored_on
  group by ranked.id
  union all
  select matches.id, 'sale_held', min(later.as_of) filter (where later.sale_status = 'sold')
  from matches left join auction_days as later on later.id = record_id and later.as_of > scored_on
  where kind = 'sheriff_sale'
  group by matches.id
  union all
  select matches.id, 'debt_cleared', min(later.as_of) filter (where later.signal_state = 'removed')
  from matches left join signal_days as later on later.id = record_id and later.as_of > scored_on
  where kind = 'tax_delinquent'
  group by matches.id
),

counted as (
  select
    outcome, horizons.days, decile,
    count(*) as n,
    count(*) filter (where on_day <= scored_on + horizons.days) as hits
  from ranked
  join happened on happened.id = ranked.id
  cross join horizons
  cross join followed
  where scored_on + horizons.days <= until
  -- and of all deciles together, which has a null for its decile
  group by grouping sets ((outcome, horizons.days, decile), (outcome, horizons.days))
),

-- Every combination has a row, also where there is no history at all
grid as (
  select outcome, horizons.days, decile
  from (select unnest(['price_cut', 'off_market', 'sale_held', 'debt_cleared']) as outcome)
  cross join horizons
  cross join (select unnest(list_append(range(1, 11), null)) as decile)
),

measured as (
  select grid.outcome, grid.days, grid.decile, coalesce(n, 0) as n, coalesce(hits, 0) as hits, hits / n as share
  from grid
  left join counted on counted.outcome = grid.outcome and counted.days = grid.days and counted.decile is not distinct from grid.decile
)

select
  outcome,
  cast(days as integer) as days,
  cast(decile as integer) as decile,
  cast(n as integer) as n,
  cast(hits as integer) as hits,
  case when n >= least_n then 'measured' else 'not enough history' end as status,
  case when n >= least_n then round(100 * share, 1) end as share_pct,
  case when n >= least_n then round(100 * greatest(0, (share + z * z / (2 * n) - z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)), 1) end as low_pct,
  case when n >= least_n then round(100 * least(1, (share + z * z / (2 * n) + z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)), 1) end as high_pct
from measured
cross join demands
order by list_position(['price_cut', 'off_market', 'sale_held', 'debt_cleared'], outcome), days, decile nulls last

-- Whether the score predicts outcomes: score decile against what happened within 30, 60 and 90 days, with Wilson's 95 %
-- interval. Each deal counts once, as in the first snapshot that scored it for sale: nothing learned later is used, and
-- a deal counts for a horizon only if snapshots reach to its end. Deals of equal score share a decile. The row without
-- a decile covers all deals.
-- Reads three views over all snapshots of a data folder: deal_days, signal_days, auction_days, each with as_of.

with

horizons as (select unnest([30, 60, 90]) as days),

-- A decile with fewer deals than least_n has no share
limits as (select 30 as least_n, 1.96 as z),

last_day as (select max(as_of) as until from deal_days),

scored_deals as (
  select id, as_of as scored_on, deal_score, list_price, distress_matches
  from deal_days
  where listing_status = 'active'
  qualify row_number() over (partition by id order by as_of) = 1
),

deciles as (
  select
    *,
    1 + (10 * (rank() over (order by deal_score) - 1)) // count(*) over () as decile
  from scored_deals
),

matches as (
  select
    deals.id,
    scored_on,
    match.value ->> 'kind' as kind,
    match.value ->> 'id' as record_id
  from scored_deals as deals, json_each(distress_matches) as match
),

-- The first day of each outcome, for the deals that could have it
outcomes as (
  select
    deals.id,
    'price_cut' as outcome,
    min(later.as_of) filter (where later.list_price < deals.list_price) as on_day
  from deciles as deals
  left join deal_days as later on later.id = deals.id and later.as_of > scored_on
  where deals.list_price is not null
  group by deals.id

  union all

  select
    deals.id,
    'off_market' as outcome,
    min(later.as_of) filter (where later.listing_status in ('delisted', 'sold')) as on_day
  from deciles as deals
  left join deal_days as later on later.id = deals.id and later.as_of > scored_on
  group by deals.id

  union all

  select
    matches.id,
    'sale_held' as outcome,
    min(later.as_of) filter (where later.sale_status = 'sold') as on_day
  from matches
  left join auction_days as later on later.id = record_id and later.as_of > scored_on
  where kind = 'sheriff_sale'
  group by matches.id

  union all

  select
    matches.id,
    'debt_cleared' as outcome,
    min(later.as_of) filter (where later.signal_state = 'removed') as on_day
  from matches
  left join signal_days as later on later.id = record_id and later.as_of > scored_on
  where kind = 'tax_delinquent'
  group by matches.id
),

counts as (
  select
    outcome,
    horizons.days,
    decile,
    count(*) as n,
    count(*) filter (where on_day <= scored_on + horizons.days) as hits
  from deciles as deals
  join outcomes on outcomes.id = deals.id
  cross join horizons
  cross join last_day
  where scored_on + horizons.days <= until
  -- The second set, of all deals, has a null decile
  group by grouping sets ((outcome, horizons.days, decile), (outcome, horizons.days))
),

-- Every combination has a row, even without history
grid as (
  select outcome, horizons.days, decile
  from (select unnest(['price_cut', 'off_market', 'sale_held', 'debt_cleared']) as outcome)
  cross join horizons
  cross join (select unnest(list_append(range(1, 11), null)) as decile)
),

shares as (
  select
    grid.outcome,
    grid.days,
    grid.decile,
    coalesce(n, 0) as n,
    coalesce(hits, 0) as hits,
    hits / n as share
  from grid
  left join counts
    on counts.outcome = grid.outcome
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
  outcome,
  cast(days as integer) as days,
  cast(decile as integer) as decile,
  cast(n as integer) as n,
  cast(hits as integer) as hits,
  case when n >= least_n then 'measured' else 'not enough history' end as status,
  case when n >= least_n then round(100 * share, 1) end as share_pct,
  case when n >= least_n then round(100 * greatest(0, (center - margin) / scale), 1) end as low_pct,
  case when n >= least_n then round(100 * least(1, (center + margin) / scale), 1) end as high_pct
from intervals
order by list_position(['price_cut', 'off_market', 'sale_held', 'debt_cleared'], outcome), days, decile nulls last

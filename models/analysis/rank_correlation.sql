-- Rank correlation of score and outcome, next to that of the underwritten cap rate alone on the same deals: the
-- rank-biserial correlation (Somers' D), which is the share of pairs of a deal with the outcome and one without it in
-- which the first ranks higher, less the share in which it ranks lower. 0: no relation; 1: every deal with the outcome
-- ranks above every other. A quotient of whole numbers, rounded once. The 95 % interval is the normal one with DeLong's
-- variance; that of the difference uses the same deals for both.
-- Reads followed_deals.

with

-- Fewer deals, or fewer with or without the outcome, have no correlation
limits as (select 30 as least_n, 5 as least_each, 1.96 as z),

deals as (
  select * from followed_deals where cap_rate is not null
),

-- For a deal with the outcome: two for each deal without it that ranks lower, one for each that ranks equal. For a deal
-- without the outcome: the same for deals with it that rank higher
placements as (
  select
    landmark, outcome, days, happened,
    case
      when happened then 2 * count(*) filter (where not happened) over up_to_score
        - count(*) filter (where not happened) over same_score
      else 2 * (count(*) filter (where happened) over cell - count(*) filter (where happened) over up_to_score)
        + count(*) filter (where happened) over same_score
    end as of_score,
    case
      when happened then 2 * count(*) filter (where not happened) over up_to_cap
        - count(*) filter (where not happened) over same_cap
      else 2 * (count(*) filter (where happened) over cell - count(*) filter (where happened) over up_to_cap)
        + count(*) filter (where happened) over same_cap
    end as of_cap
  from deals
  window
    cell as (partition by landmark, outcome, days),
    up_to_score as (partition by landmark, outcome, days order by deal_score),
    same_score as (partition by landmark, outcome, days, deal_score),
    up_to_cap as (partition by landmark, outcome, days order by cap_rate),
    same_cap as (partition by landmark, outcome, days, cap_rate)
),

measures as (
  select landmark, outcome, days, happened, 'score' as measure, of_score as placement from placements
  union all
  select landmark, outcome, days, happened, 'cap_rate' as measure, of_cap as placement from placements
  union all
  select landmark, outcome, days, happened, 'difference' as measure, of_score - of_cap as placement from placements
),

sums as (
  select
    landmark, outcome, days, measure,
    cast(count(*) as hugeint) as n,
    cast(count(*) filter (where happened) as hugeint) as hits,
    n - hits as misses,
    sum(placement) filter (where happened) as sum_of_hits,
    sum(cast(placement as hugeint) * placement) filter (where happened) as squares_of_hits,
    sum(placement) filter (where not happened) as sum_of_misses,
    sum(cast(placement as hugeint) * placement) filter (where not happened) as squares_of_misses
  from measures
  group by landmark, outcome, days, measure
),

-- Correctly ranked pairs minus wrongly ranked pairs. Both parts of the variance are quotients of whole numbers
estimates as (
  select
    landmark, outcome, days, measure, n, hits,
    n >= least_n and hits >= least_each and misses >= least_each as is_measured,
    sum_of_hits - if(measure = 'difference', 0, hits * misses) as pairs,
    hits * misses as all_pairs,
    case when is_measured then
      z * sqrt(
        cast(hits * squares_of_hits - sum_of_hits * sum_of_hits as double)
          / cast(hits * hits * (hits - 1) * misses * misses as double)
        + cast(misses * squares_of_misses - sum_of_misses * sum_of_misses as double)
          / cast(misses * misses * (misses - 1) * hits * hits as double)
      )
    end as margin
  from sums
  cross join limits
)

select
  cast(landmark as integer) as landmark,
  outcome,
  cast(days as integer) as days,
  measure,
  cast(n as integer) as n,
  cast(hits as integer) as hits,
  if(is_measured, 'measured', 'not enough history') as status,
  case when is_measured then cast(nearest(100 * pairs, all_pairs) as double) / 100 end as correlation,
  round(cast(pairs as double) / cast(all_pairs as double) - margin, 2) as low,
  round(cast(pairs as double) / cast(all_pairs as double) + margin, 2) as high
from estimates
order by
  landmark,
  list_position(['price_cut', 'off_market', 'sold', 'withdrawn', 'sale_held', 'debt_cleared'], outcome),
  days,
  list_position(['score', 'cap_rate', 'difference'], measure)

-- The deals that count for each outcome and horizon, and whether it happened: those whose horizon the snapshots cover.
-- Reads scored_deals, outcome_days and the view deal_days.

with

horizons as (select unnest([30, 60, 90]) as days),

last_day as (select max(as_of) as until from deal_days)

select
  deals.landmark,
  outcomes.outcome,
  horizons.days,
  deals.id,
  deals.decile,
  deals.deal_score,
  deals.cap_rate,
  coalesce(on_day <= scored_on + horizons.days, false) as happened
from scored_deals as deals
join outcome_days as outcomes on outcomes.landmark = deals.landmark and outcomes.id = deals.id
cross join horizons
cross join last_day
where scored_on + horizons.days <= until

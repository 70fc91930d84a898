-- Every deal on the landmarks of its life: its score and cap rate on the day, and the decile of its score among the
-- deals of the landmark. Landmark 0 is the first snapshot that scored it for sale. The others are the first snapshot in
-- which it was for sale with that many days on the feed, at most `grace` days later. Deals of equal score share a
-- decile. Nothing learned after scored_on is used.
-- Reads the view deal_days over all snapshots of a data folder, with as_of.

with

landmarks as (
  select unnest([0, 7, 30, 60, 90]) as landmark
),

-- Snapshots a week apart reach each landmark
limits as (select 7 as grace),

first_days as (
  select id, min(as_of) as first_on from deal_days where listing_status = 'active' group by id
),

scored as (
  select
    landmarks.landmark,
    deals.id,
    deals.as_of as scored_on,
    deals.deal_score,
    deals.cap_rate_underwritten as cap_rate,
    deals.list_price,
    deals.distress_matches
  from deal_days as deals
  join first_days on first_days.id = deals.id
  cross join landmarks
  cross join limits
  where deals.listing_status = 'active'
    and case
      when landmark = 0 then deals.as_of = first_on
      else days_on_feed >= landmark and days_on_feed < landmark + grace
    end
  qualify row_number() over (partition by landmarks.landmark, deals.id order by deals.as_of) = 1
)

select
  *,
  1 + (10 * (rank() over (partition by landmark order by deal_score) - 1)) // count(*) over (partition by landmark)
    as decile
from scored

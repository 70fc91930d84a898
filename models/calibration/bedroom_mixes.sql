-- Average mix of bedrooms by size and vintage: units with so many bedrooms over all units, weighted. Properties whose
-- bedrooms add up to their units, and that collected rent. Shares are rounded down to four decimals, and the missing
-- ten-thousandths go to the largest remainders, so that they add up to one.

with

terms as (select parameter('thin_n_eff')::decimal(13, 1) as thin_n_eff),

counted as (
  select *
  from survey_properties
  where collected > 0
    and units_0br + units_1br + units_2br + units_3br + units_4br = units
),

cells as (
  select size, vintage, weight, units_0br, units_1br, units_2br, units_3br, units_4br
  from counted
  where vintage is not null
  union all
  select size, 'any', weight, units_0br, units_1br, units_2br, units_3br, units_4br from counted
),

sums as (
  select
    size,
    vintage,
    cast(count(*) as integer) as n,
    effective_n(sum(weight), sum(cast(weight as hugeint) * weight)) as n_eff,
    [
      sum(cast(weight as hugeint) * units_0br),
      sum(cast(weight as hugeint) * units_1br),
      sum(cast(weight as hugeint) * units_2br),
      sum(cast(weight as hugeint) * units_3br),
      sum(cast(weight as hugeint) * units_4br)
    ] as weighted_units
  from cells
  group by size, vintage
),

by_bedrooms as (
  select
    size,
    vintage,
    unnest([0, 1, 2, 3, 4]) as bedrooms,
    unnest(weighted_units) as weighted_units,
    list_sum(weighted_units) as all_units
  from sums
),

rounded_down as (
  select
    *,
    ten_thousandths(weighted_units, all_units) as share,
    remainder_of_ten_thousandths(weighted_units, all_units) as remainder
  from by_bedrooms
),

shares as (
  select
    size,
    vintage,
    bedrooms,
    share + case
      when row_number() over (partition by size, vintage order by remainder desc, bedrooms)
        <= ten_thousandths(1, 1) - sum(share) over (partition by size, vintage) then 1
      else 0
    end as share
  from rounded_down
),

mixes as (
  select
    size,
    vintage,
    any_value(from_ten_thousandths(share)) filter (bedrooms = 0) as share_0,
    any_value(from_ten_thousandths(share)) filter (bedrooms = 1) as share_1,
    any_value(from_ten_thousandths(share)) filter (bedrooms = 2) as share_2,
    any_value(from_ten_thousandths(share)) filter (bedrooms = 3) as share_3,
    any_value(from_ten_thousandths(share)) filter (bedrooms = 4) as share_4
  from shares
  group by size, vintage
)

select
  sums.size,
  sums.vintage,
  mixes.share_0,
  mixes.share_1,
  mixes.share_2,
  mixes.share_3,
  mixes.share_4,
  sums.n,
  sums.n_eff,
  case when sums.n_eff < thin_n_eff then 'parent' else 'cell' end as basis,
  parameter('survey_source') as source,
  parameter('survey_as_of')::date as as_of
from sums
cross join terms
join mixes
  on mixes.size = sums.size
  and mixes.vintage = case when sums.n_eff < thin_n_eff then 'any' else sums.vintage end

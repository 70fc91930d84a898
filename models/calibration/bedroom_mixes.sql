-- Average mix of bedrooms by size and vintage: units with so many bedrooms over all units, weighted. Properties whose
-- bedrooms add up to their units, and that collected rent. Shares are rounded down to four decimals, and the missing
-- ten-thousandths go to the largest remainders, so that they add up to one.

with

counted as (
  select * from trained
  where collected > 0 and units_0br + units_1br + units_2br + units_3br + units_4br = units
),

cells as (
  select * from counted where vintage is not null
  union all by name
  select * replace ('any' as vintage) from counted
),

sums as (
  select
    size,
    vintage,
    cast(count(*) as integer) as n,
    effective_n(sum(weight), sum(weight * weight)) as n_eff,
    [sum(weight * units_0br), sum(weight * units_1br), sum(weight * units_2br), sum(weight * units_3br),
      sum(weight * units_4br)] as units_by_bedrooms
  from cells
  group by size, vintage
),

rounded_shares as (
  select
    *,
    [part::double / list_sum(units_by_bedrooms) * 10000 for part in units_by_bedrooms] as parts,
    10000 - list_sum([floor(part) for part in parts]) as missing,
    list_grade_up([floor(part) - part for part in parts]) as by_remainder,
    [
      ((floor(part) + (list_position(by_remainder, place) <= missing)::integer) * 0.0001)::decimal(16, 4)
      for part, place in parts
    ] as mix
  from sums
)

select
  own.size,
  own.vintage,
  shown.mix[1] as share_0,
  shown.mix[2] as share_1,
  shown.mix[3] as share_2,
  shown.mix[4] as share_3,
  shown.mix[5] as share_4,
  own.n,
  own.n_eff,
  case when own.n_eff < 15 then 'parent' else 'cell' end as basis,
  survey_source() as source,
  survey_as_of() as as_of
from rounded_shares as own
join rounded_shares as shown
  on shown.size = own.size
  and shown.vintage = case when own.n_eff < 15 then 'any' else own.vintage end

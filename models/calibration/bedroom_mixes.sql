-- Average mix of bedrooms by size and vintage: units with so many bedrooms over all units, weighted. Properties whose
-- bedrooms add up to their units, and that collected rent. Shares are rounded down to four decimals, and the missing
-- ten-thousandths go to the largest remainders, so that they add up to one.

with

counted as (
  select *, unnest(vintages) as vintage
  from trained
  where collected > 0 and units_0_r + units_1_r + units_2_r + units_3_r + units_4_r = units
),

sums as (
  select
    size,
    vintage,
    cast(count(*) as integer) as n,
    effective_n(sum(weight), sum(weight * weight)) as n_eff,
    [sum(weight * units_0_r), sum(weight * units_1_r), sum(weight * units_2_r), sum(weight * units_3_r),
      sum(weight * units_4_r)] as totals,
    [total::double / list_sum(totals) * 10000 for total in totals] as parts,
    10000 - list_sum([floor(part) for part in parts]) as missing,
    list_grade_up([floor(part) - part for part in parts]) as by_remainder,
    [
      ((floor(part) + (list_position(by_remainder, place) <= missing)::integer) * 0.0001)::decimal(16, 4)
      for part, place in parts
    ] as mix
  from counted
  group by size, vintage
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
from sums as own
join sums as shown
  on shown.size = own.size
  and shown.vintage = case when own.n_eff < 15 then 'any' else own.vintage end

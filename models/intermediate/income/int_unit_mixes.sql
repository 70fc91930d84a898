-- One row per property: its units by bedrooms. The mix that the listing states counts if it adds up to its units;
-- otherwise the average mix of buildings of its size and age, as shares, rounded so that two bedrooms get the rest.
-- Key: id
-- Not null: unit_mix_basis

with

stated as (
  select
    id, units, units_0br, units_1br, units_2br, units_3br, units_4br,
    coalesce(units_0br, units_1br, units_2br, units_3br, units_4br) is not null as is_stated,
    coalesce(units_0br, 0) + coalesce(units_1br, 0) + coalesce(units_2br, 0) + coalesce(units_3br, 0)
      + coalesce(units_4br, 0) = units as adds_up
  from int_properties
),

mixes as (
  select
    stated.*,
    buildings.is_age_unknown, buildings.share_0, buildings.share_1,
    1 - buildings.share_0 - buildings.share_1 - buildings.share_3 - buildings.share_4 as share_2,
    buildings.share_3,
    buildings.share_4,
    coalesce(is_stated and adds_up, false) as is_used
  from stated
  join int_buildings as buildings on buildings.id = stated.id
)

select
  id,
  case
    when units is null then 'unknown'
    when is_used then 'listing'
    when is_stated and is_age_unknown then 'size_stated_mix_does_not_add_up'
    when is_stated then 'size_and_age_stated_mix_does_not_add_up'
    when is_age_unknown then 'size'
    else 'size_and_age'
  end as unit_mix_basis,
  case when is_used then coalesce(units_0br, 0) else share_0 end::decimal(16, 4) as mix_0br,
  case when is_used then coalesce(units_1br, 0) else share_1 end::decimal(16, 4) as mix_1br,
  case when is_used then coalesce(units_2br, 0) else share_2 end::decimal(16, 4) as mix_2br,
  case when is_used then coalesce(units_3br, 0) else share_3 end::decimal(16, 4) as mix_3br,
  case when is_used then coalesce(units_4br, 0) else share_4 end::decimal(16, 4) as mix_4br,
  case when is_used then units when units is not null then 1 end as mix_sum
from mixes;

-- audit adds_up: the five add up to mix_sum
select * from int_unit_mixes
where mix_0br + mix_1br + mix_2br + mix_3br + mix_4br <> mix_sum;

-- audit every_size_has_a_mix: a property with units has a mix
select * from int_unit_mixes
where unit_mix_basis <> 'unknown' and (mix_0br is null or mix_sum is null);

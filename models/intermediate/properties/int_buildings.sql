-- One row per property: what the survey of landlords says of buildings of its size and age, blended between the knots
-- of sizes and of years. A single unit is described by the smallest size. A year after the snapshot's day is an error
-- of the listing and counts as unknown; then all ages of the size count.
-- Key: id
-- Not null: upfront_repairs_per_unit

with

sizes as (
  select
    size,
    lag(knot_units) over by_units as units_before,
    knot_units,
    lead(knot_units) over by_units as units_after
  from ref_building_sizes
  where knot_units is not null
  window by_units as (order by knot_units)
),

vintages as (
  select
    vintage,
    lag(knot_year) over by_year as year_before,
    knot_year,
    lead(knot_year) over by_year as year_after
  from ref_building_vintages
  window by_year as (order by knot_year)
),

-- The cells around a property, with weights that add up to one
weights as (
  select
    properties.id,
    sizes.size,
    coalesce(vintages.vintage, 'any') as vintage,
    coalesce(weight_of_knot(properties.units, units_before, knot_units, units_after), 1)
      * coalesce(weight_of_knot(properties.year_built, year_before, knot_year, year_after), 1) as weight
  from int_properties as properties
  left join sizes on weight_of_knot(properties.units, units_before, knot_units, units_after) > 0
  left join vintages
    on weight_of_knot(properties.year_built, year_before, knot_year, year_after) > 0
    and properties.year_built <= year(properties.as_of)
)

select
  id,
  bool_or(weights.vintage = 'any') as is_age_unknown,
  to_four_decimals(sum(weight * share_0)) as share_0,
  to_four_decimals(sum(weight * share_1)) as share_1,
  to_four_decimals(sum(weight * share_3)) as share_3,
  to_four_decimals(sum(weight * share_4)) as share_4,
  to_four_decimals(sum(weight * expense_cells.shrunk)) as typical_ratio,
  to_four_decimals(sum(weight * insurance.factor)) as insurance_size_factor,
  to_four_decimals(sum(weight * management.value::decimal(6, 4))) as management_share,
  rounded(sum(weight * repairs.amount)) as repairs_per_unit,
  rounded(sum(weight * utilities.amount)) as utilities_per_unit,
  rounded(sum(weight * other.value::decimal(14, 2))) as other_per_unit,
  rounded(sum(weight * reserves.value::decimal(14, 2))) as reserves_per_unit,
  rounded(sum(weight * upfront.value::decimal(14, 2))) as upfront_repairs_per_unit
from weights
left join ref_bedroom_mixes as mixes on mixes.size = weights.size and mixes.vintage = weights.vintage
left join ref_expense_cells as expense_cells
  on expense_cells.size = weights.size
  and expense_cells.vintage = weights.vintage
left join ref_insurance_sizes as insurance on insurance.size = weights.size
left join ref_expense_lines as repairs on repairs.size = weights.size and repairs.line = 'repairs'
left join ref_expense_lines as utilities on utilities.size = weights.size and utilities.line = 'owner_utilities'
left join declared_assumptions as management on management.key = 'management_share_' || weights.size
left join declared_assumptions as other on other.key = 'other_per_unit_' || weights.size
left join declared_assumptions as reserves on reserves.key = 'reserves_per_unit_' || weights.size
left join declared_assumptions as upfront on upfront.key = 'upfront_repairs_' || weights.vintage
group by id;

-- audit every_building_is_described: a property with units has every figure
select int_buildings.* from int_buildings join int_properties using (id)
where units is not null
  and typical_ratio + insurance_size_factor + management_share + repairs_per_unit + utilities_per_unit + other_per_unit
    + reserves_per_unit + share_0 + share_1 + share_3 + share_4 + upfront_repairs_per_unit is null;

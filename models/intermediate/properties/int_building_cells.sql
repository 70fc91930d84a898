-- One row per property: the size and vintage under which the reference tables describe its building. A year after the
-- snapshot's day is an error of the listing and counts as unknown.
-- Key: id

select
  properties.id,
  sizes.size,
  case
    when properties.units is null then null
    else coalesce(vintages.vintage, 'any')
  end as vintage
from int_properties as properties
left join ref_building_sizes as sizes
  on properties.units between sizes.least_units and coalesce(sizes.most_units, properties.units)
left join ref_building_vintages as vintages
  on properties.year_built between
    coalesce(vintages.first_year, properties.year_built) and coalesce(vintages.last_year, properties.year_built)
  and properties.year_built <= year(properties.as_of)

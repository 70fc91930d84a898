-- One row per county and property class as published, with the kind of property it means: by the county's own rules,
-- else by the state's.
-- Key: county_fips, property_class
-- Not null: property_kind, property_kind_basis

with

published_classes as (
  select county_fips, property_class from stg_tax_parcels
  union
  select county_fips, property_class from stg_distress_records
  union
  select county_fips, property_class from stg_parcels
  union
  select county_fips, property_class from previous_signals
)

select
  published_classes.county_fips,
  published_classes.property_class,
  coalesce(rules.property_kind, 'unknown') as property_kind,
  case
    when rules.property_kind is null then 'class_not_mapped'
    when rules.property_kind = 'unknown' then 'class_too_broad'
    else 'county_class'
  end as property_kind_basis
from published_classes
left join ref_property_classes as rules
  on starts_with(published_classes.county_fips, rules.area)
  and regexp_matches(upper(trim(published_classes.property_class)), rules.pattern)
where published_classes.property_class is not null
qualify row_number() over (
  partition by published_classes.county_fips, published_classes.property_class
  order by length(rules.area) desc, rules.rule_number
) = 1

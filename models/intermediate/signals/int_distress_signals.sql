-- One row per record of distress that its publisher shows today, other than tax delinquencies and sales.
-- Key: signal_id
-- View: audited in signals

with

-- A county read from two sources: the later read counts
todays_rows as (
  select
    * exclude (address_key, street_key, house_low, house_high, unit_key),
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts
  from stg_distress_records
  qualify row_number() over (
    partition by signal_id
    order by observed_at desc, amount desc nulls last, source
  ) = 1
),

records as (
  select
    record.* exclude (street, city, zip, parts, property_class),
    record.street is null and layer.street is not null as is_from_layer,
    coalesce(record.street, layer.street) as address,
    coalesce(record.city, layer.city) as city,
    case when record.city is null then layer.city_basis else 'published' end as city_basis,
    coalesce(record.zip, layer.zip) as zip,
    case
      when record.street is null then
        struct_pack(layer.address_key, layer.street_key, layer.house_low, layer.house_high, layer.unit_key)
      else record.parts
    end as parts,
    layer.county_value,
    coalesce(record.property_class, layer.property_class) as property_class,
    -- The publisher does not say whether it is still in force, and its latest event is old. A register of buildings
    -- without a column of the state says when a record began and never that it ends.
    coalesce(
      case
        when record.signal_type in ('condemned', 'vacant_building')
          then (record.record_state = 'unknown' or record.state_raw is null)
            and coalesce(record.last_activity_on, record.filed_on) + to_months(condition_months) < run.as_of
        else record.record_state = 'unknown'
          and coalesce(record.last_activity_on, record.filed_on) + to_months(unsure_months) < run.as_of
      end,
      false
    ) as is_in_doubt
  from todays_rows as record
  cross join run
  cross join terms
  left join int_layer_addresses as layer
    on layer.county_fips = record.county_fips
    and layer.parcel_key = record.parcel_key
)

select
  record.* exclude (record_state, amount_basis, tax_year, is_from_layer, is_in_doubt),

  -- State
  case
    when record.record_state = 'closed' or record.amount <= 0 then 'removed'
    when record.is_in_doubt then 'unknown'
    else 'listed'
  end as signal_state,
  case
    when record.record_state = 'closed' then 'closed_by_publisher'
    when record.amount <= 0 then 'balance_zero'
    when record.is_in_doubt then 'no_recent_event'
    else 'on_the_list'
  end as state_reason,
  case
    when record.address is null then null
    when record.is_from_layer then 'parcel_layer'
    else 'record'
  end as address_basis,
  case when record.zip is not null then 'published' end as zip_basis,

  -- Debt. Only a lien is for the tax of one year
  'not_applicable' as years_basis,
  case when record.signal_type = 'tax_lien' then record.tax_year end as tax_year,
  case when record.amount is not null then record.amount_basis end as amount_basis
from records as record

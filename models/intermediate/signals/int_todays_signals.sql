-- One row per parcel that is on a county's delinquency list today, and per other record of distress that its publisher
-- shows today. Sales are no signals.
-- Key: signal_id
-- View: audited in signals

with

-- A county read from two sources: the later read counts
todays_rows as (
  select
    * exclude (address_key, street_key, house_low, house_high, unit_key),
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts
  from (
    select * replace (coalesce(amount_basis, 'net') as amount_basis), 'tax_delinquent' as signal_type
    from stg_tax_parcels
    union all by name
    select * from stg_distress_records
  )
  qualify row_number() over (
    partition by signal_id
    order by observed_at desc, amount desc nulls last, source, parcel_id
  ) = 1
),

rows_with_layer_address as (
  select
    list.* replace (
      coalesce(list.street, layer.street) as street,
      coalesce(list.city, layer.city) as city,
      coalesce(list.zip, layer.zip) as zip,
      case
        when list.street is null then
          struct_pack(layer.address_key, layer.street_key, layer.house_low, layer.house_high, layer.unit_key)
        else list.parts
      end as parts,
      coalesce(list.county_value, layer.county_value) as county_value,
      coalesce(list.property_class, layer.property_class) as property_class
    ),
    list.street is null and layer.street is not null as is_from_layer,
    case when list.city is null then layer.city_basis else 'published' end as city_basis,
    -- A join on a condition of the row would compare all pairs of rows
    case when list.signal_type = 'tax_delinquent' then list.parcel_key end as tax_parcel_key
  from todays_rows as list
  left join int_layer_addresses as layer using (county_fips, parcel_key)
),

-- Cities and ZIPs of the previous snapshot, without those taken from the owners' mail
published_places as (
  select
    id,
    address_key,
    case when city_basis <> 'owner_mail' then city end as city,
    case when city_basis <> 'owner_mail' then city_basis end as city_basis,
    case when zip_basis = 'published' then zip end as zip
  from previous_signals
  where signal_type = 'tax_delinquent'
),

-- A sheriff prints street and ZIP of a parcel, which some counties' tax lists lack
sheriff_addresses as (
  select
    county_fips, parcel_key, street, city, zip,
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts
  from stg_auctions
  where parcel_key is not null and address_key is not null
  qualify row_number() over (
    partition by county_fips, parcel_key
    order by sale_date desc, observed_at desc, case_key, source
  ) = 1
),

rows_with_sheriff_address as (
  select
    list.* exclude (street, city, city_basis, zip, parts),
    list.parts.address_key is null and sheriff.parts is not null as is_from_sale,
    -- City and ZIP too if list and sheriff print the same address for the parcel
    coalesce(list.parts.address_key is null or list.parts.address_key = sheriff.parts.address_key, false)
      as is_same_address,
    case when is_from_sale then sheriff.street else list.street end as address,
    case when is_same_address then coalesce(list.city, sheriff.city) else list.city end as city,
    case
      when list.city is not null then list.city_basis
      when is_same_address and sheriff.city is not null then 'published'
    end as city_basis,
    case when is_same_address then coalesce(list.zip, sheriff.zip) else list.zip end as zip,
    case when is_from_sale then sheriff.parts else list.parts end as parts
  from rows_with_layer_address as list
  left join sheriff_addresses as sheriff
    on sheriff.county_fips = list.county_fips
    and sheriff.parcel_key = list.tax_parcel_key
),

-- A place stays once found, even if the tax roll or the sheriff omits the parcel on a later day
rows_with_previous_place as (
  select
    list.* replace (
      coalesce(list.city, previous.city) as city,
      case when list.city is null then previous.city_basis else list.city_basis end as city_basis,
      coalesce(list.zip, previous.zip) as zip
    )
  from rows_with_sheriff_address as list
  left join published_places as previous
    on previous.id = list.signal_id
    and previous.address_key is not distinct from list.parts.address_key
),

-- A list without ZIPs: if the owner gets mail at the property itself, use the ZIP of the mail if the county has it
rows_with_mail_zip as (
  select
    list.* replace (
      case when is_mail_here then coalesce(city, mail_city) else city end as city,
      case when is_mail_here and city is null and mail_city is not null then 'owner_mail' else city_basis end
        as city_basis,
      case when is_mail_here then mail_zip else zip end as zip
    ),
    case when is_mail_here then 'owner_mail' when zip is not null then 'published' end as zip_basis
  from rows_with_previous_place as list
  cross join lateral (
    select
      tax_parcel_key is not null
      and zip is null
      and mail_state = state
      and mail_street_key = parts.street_key
      and cast(mail_house as integer) between parts.house_low and parts.house_high
      and exists (
        from ref_county_zips as county_zips
        where county_zips.county_fips = list.county_fips
          and starts_with(mail_zip, county_zips.zip_prefix)
      ) as is_mail_here
  )
),

records as (
  select
    record.*,
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
  from rows_with_mail_zip as record
  cross join run
  cross join terms
)

select
  list.* exclude (
    years_delinquent, amount_basis, paid_on, record_state, tax_year, tax_parcel_key,
    is_from_layer, is_from_sale, is_same_address, is_in_doubt
  ),

  -- State: a parcel that owes nothing is not delinquent, even if listed
  case
    when list.record_state = 'closed' or list.amount <= 0 then 'removed'
    when list.is_in_doubt then 'unknown'
    else 'listed'
  end as signal_state,
  case
    when list.record_state = 'closed' then 'closed_by_publisher'
    when list.amount <= 0 then 'balance_zero'
    when list.is_in_doubt then 'no_recent_event'
    else 'on_the_list'
  end as state_reason,
  case
    when list.address is null then null
    when list.is_from_sale then 'sheriff_sale'
    when list.is_from_layer then 'parcel_layer'
    else if(list.signal_type = 'tax_delinquent', 'tax_list', 'record')
  end as address_basis,

  -- Debt. A list without years: count the months since the last day on which the law lets a delinquency be certified
  cast(case
    when list.years_delinquent is not null then list.years_delinquent * months_per_year
    when list.certified_year <= year(run.as_of) then
      whole_months(make_date(list.certified_year, tax_certified_month, tax_certified_day), run.as_of, tax_months_step)
  end as integer) as months_delinquent,
  case
    when list.signal_type <> 'tax_delinquent' then 'not_applicable'
    when list.years_delinquent is not null then 'published'
    -- A future year is a typing error of the county
    when list.certified_year <= year(run.as_of) then 'since_certified_year'
    else 'unknown'
  end as years_basis,
  -- Only a lien is for the tax of one year
  case when list.signal_type = 'tax_lien' then list.tax_year end as tax_year,
  case when list.amount is not null then list.amount_basis end as amount_basis
from records as list
cross join run
cross join terms

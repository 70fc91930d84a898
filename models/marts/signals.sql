-- One row per parcel that is or was on a county's delinquency list. Today's lists first. A parcel of the previous
-- snapshot that its list no longer has, though the list was read well, stays as removed: its debt was cured, or it
-- moved to another status.

with

terms as (
  select
    assumption('months_per_year')::integer as months_per_year,
    assumption('tax_certified_month')::integer as certified_month,
    assumption('tax_certified_day')::integer as certified_day,
    assumption('tax_months_step')::integer as months_step
),

-- Snapshots of an older version have the id of the lead as the id of the signal
earlier_signals as (
  select * replace (signal_id_of(county_fips, parcel_key) as id) from previous_signals
),

todays_rows as (
  select
    * exclude (address_key, street_key, house_low, house_high, unit_key),
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts
  from stg_tax_parcels
  -- A county read from two sources: the later read counts
  qualify row_number() over (
    partition by signal_id
    order by observed_at desc, amount desc nulls last, source, parcel_id
  ) = 1
),

-- Addresses from parcel layers, for lists that print parcels without them. An address found once stays, though the
-- layer may omit the parcel on another day
layer_addresses as (
  select
    county_fips, parcel_key, street, city, city_basis, zip,
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts,
    county_value, property_class
  from stg_parcels

  union all

  select
    county_fips, parcel_key, address as street, city, city_basis, zip,
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts,
    county_value, property_class
  from earlier_signals
  anti join stg_parcels using (county_fips, parcel_key)
  where address_basis = 'parcel_layer'
),

rows_with_layer_address as (
  select
    list.* exclude (street, city, zip, parts, county_value, property_class),
    list.street is null and layer.street is not null as is_from_layer,
    coalesce(list.street, layer.street) as street,
    coalesce(list.city, layer.city) as city,
    case when list.city is null then layer.city_basis else 'published' end as city_basis,
    coalesce(list.zip, layer.zip) as zip,
    case when list.street is null then layer.parts else list.parts end as parts,
    coalesce(nullif(list.county_value, 0), layer.county_value) as county_value,
    coalesce(list.property_class, layer.property_class) as property_class
  from todays_rows as list
  left join layer_addresses as layer
    on layer.county_fips = list.county_fips
    and layer.parcel_key = list.parcel_key
),

-- Cities and ZIPs of the previous snapshot, less those of the owners' mail
published_places as (
  select
    id,
    address_key,
    case when city_basis <> 'owner_mail' then city end as city,
    case when city_basis <> 'owner_mail' then city_basis end as city_basis,
    case when zip_basis = 'published' then zip end as zip
  from earlier_signals
),

-- A sheriff prints street and ZIP of a parcel, which some counties' lists lack
sheriff_addresses as (
  select
    county_fips, parcel_key, street, city, zip,
    struct_pack(address_key, street_key, house_low, house_high, unit_key) as parts
  from stg_sheriff_sales
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
    case when list.parts.address_key is null then coalesce(sheriff.street, list.street) else list.street end as address,
    case when is_same_address then coalesce(list.city, sheriff.city) else list.city end as city,
    case
      when list.city is not null then list.city_basis
      when is_same_address and sheriff.city is not null then 'published'
    end as city_basis,
    case when is_same_address then coalesce(list.zip, sheriff.zip) else list.zip end as zip,
    case when list.parts.address_key is null then sheriff.parts else list.parts end as parts
  from rows_with_layer_address as list
  left join sheriff_addresses as sheriff
    on sheriff.county_fips = list.county_fips
    and sheriff.parcel_key = list.parcel_key
),

-- A place found once stays, though the tax roll or the sheriff may omit the parcel on another day
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

-- A list without ZIPs: if the owner gets mail at the property itself, its ZIP is that of the mail, if the county has it
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
      zip is null
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

today as (
  select
    -- The published fields
    'tax_delinquent' as signal_type,
    list.county,
    list.address,
    list.owner_name,
    list.parcel_id,
    list.amount,
    list.source_url,
    list.observed_at as last_seen,
    list.parts.address_key is not null as has_address,
    case
      when list.parts.address_key is not null then 'available'
      when list.address is null then 'pending_parcel_lookup'
      else 'no_house_number'
    end as address_status,

    -- State: a parcel that owes nothing is no delinquency, listed or not
    list.signal_id as id,
    case when list.amount <= 0 then 'removed' else 'listed' end as signal_state,
    case when list.amount <= 0 then 'balance_zero' else 'on_the_list' end as state_reason,
    case
      when previous.signal_state = case when list.amount <= 0 then 'removed' else 'listed' end
        then previous.state_since
      else run.as_of
    end as state_since,
    list.county_fips,
    list.parcel_key,

    -- Property
    case
      when list.address is null then null
      when list.is_from_sale then 'sheriff_sale'
      when list.is_from_layer then 'parcel_layer'
      else 'tax_list'
    end as address_basis,
    list.city,
    list.city_basis,
    list.state,
    list.zip,
    list.zip_basis,
    list.parts.address_key,
    list.parts.street_key,
    list.parts.house_low,
    list.parts.house_high,
    list.parts.unit_key,

    -- Owner. A post office box in the state does not show where the owner lives
    list.mail_street,
    list.mail_city,
    list.mail_state,
    list.mail_zip,
    case
      when not regexp_full_match(list.mail_state, '[A-Z]{2}') or list.mail_state is null then 'unknown'
      when list.mail_state <> list.state then 'out_of_state'
      when list.mail_kind <> 'street' or list.parts.street_key is null then 'unknown'
      when list.mail_street_key = list.parts.street_key
        and cast(list.mail_house as integer) between list.parts.house_low and list.parts.house_high
        and coalesce(list.mail_zip = list.zip, true) then 'at_property'
      else 'in_state'
    end as owner_location,

    -- Debt. A list without years: the months since the last day on which the law lets a delinquency be certified
    case
      when list.years_delinquent is not null then list.years_delinquent * months_per_year
      when list.certified_year <= year(run.as_of) then
        whole_months(make_date(list.certified_year, certified_month, certified_day), run.as_of, months_step)
    end as months_delinquent,
    case
      when list.years_delinquent is not null then 'published'
      -- A year in the future is a typing error of the county
      when list.certified_year <= year(run.as_of) then 'since_certified_year'
      else 'unknown'
    end as years_basis,
    list.certified_year,
    nullif(list.county_value, 0) as county_value,
    percentage(list.amount, list.county_value) as amount_to_value_pct,
    list.property_class,

    -- Provenance
    coalesce(previous.first_seen, list.observed_at) as first_seen,
    list.source,
    list.page_sha256,
    list.page_row
  from rows_with_mail_zip as list
  cross join run
  cross join terms
  left join earlier_signals as previous on previous.id = list.signal_id
),

no_longer_listed as (
  select
    previous.* replace (
      case
        when previous.signal_state = 'removed' then 'removed'
        when sources.source is null then 'unknown'
        when sources.last_good_at > previous.last_seen then 'removed'
        else previous.signal_state
      end as signal_state,
      case
        when previous.signal_state = 'removed' then previous.state_reason
        when sources.source is null then 'source_not_read'
        when sources.last_good_at > previous.last_seen then 'not_on_latest_list'
        else previous.state_reason
      end as state_reason,
      case
        when previous.signal_state = 'removed' then previous.state_since
        when sources.source is null and previous.signal_state = 'unknown' then previous.state_since
        when sources.source is null or sources.last_good_at > previous.last_seen then run.as_of
        else previous.state_since
      end as state_since,
      coalesce(previous.city_basis, case when previous.city is not null then 'published' end) as city_basis,
      coalesce(previous.zip_basis, case when previous.zip is not null then 'published' end) as zip_basis,
      coalesce(previous.months_delinquent, previous.years_delinquent * months_per_year) as months_delinquent
    )
  from earlier_signals as previous
  cross join run
  cross join terms
  left join source_reads as sources on sources.source = previous.source
  where previous.id not in (select id from today)
),

all_signals as (
  select * from today
  union all by name
  select * from no_longer_listed
)

select
  signal_type, county, address, owner_name, parcel_id, amount, source_url, last_seen, has_address, address_status,
  id, signal_state, state_reason, state_since, county_fips, parcel_key, address_basis,
  city, city_basis, state, zip, zip_basis,
  address_key, street_key, house_low, house_high, unit_key,
  mail_street, mail_city, mail_state, mail_zip, owner_location,
  cast(months_delinquent // months_per_year as integer) as years_delinquent,
  years_basis,
  cast(months_delinquent as integer) as months_delinquent,
  certified_year, county_value, amount_to_value_pct, property_class,
  coalesce(kinds.property_kind, 'unknown') as property_kind,
  coalesce(kinds.property_kind_basis, 'not_published_by_county') as property_kind_basis,
  first_seen, source, page_sha256, page_row
from all_signals
cross join terms
left join int_property_classes as kinds using (county_fips, property_class)

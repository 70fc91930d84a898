-- One row per parcel that is or was on a county's delinquency list. Today's lists first; a parcel of the day before
-- that is no longer on its list, though the list was read well, is kept as removed: its debt was cured, or it moved.

with

as_of as (select as_of from run),

lists as (select source, last_good_at from source_reads),

shown as (
  select *
  from stg_tax_parcels
  -- A county read from two sources: the later reading stands
  qualify row_number() over (partition by signal_id order by observed_at desc, amount desc nulls last, source, parcel_id) = 1
),

before as (select * from previous_signals),

-- Where a county's list names parcels without their address, its parcel layer has it. An address found once stays
-- found, though the layer may leave the parcel out on another day
parcel_addresses as (
  select county_fips, parcel_key, street, city, zip, address_key, street_key, house_low, house_high, unit_key, county_value, property_class
  from stg_parcels

  union all

  select county_fips, parcel_key, address as street, city, zip, address_key, street_key, house_low, house_high, unit_key, county_value, property_class
  from before
  where address_basis = 'parcel_layer'
    and not exists (from stg_parcels where stg_parcels.county_fips = before.county_fips and stg_parcels.parcel_key = before.parcel_key)
),

placed as (
  select
    shown.* exclude (street, city, zip, address_key, street_key, house_low, house_high, unit_key, county_value, property_class),
    shown.street is null and parcel.street is not null as is_from_layer,
    coalesce(shown.street, parcel.street) as street,
    coalesce(shown.city, parcel.city) as city,
    coalesce(shown.zip, parcel.zip) as zip,
    case when shown.street is null then parcel.address_key else shown.address_key end as address_key,
    case when shown.street is null then parcel.street_key else shown.street_key end as street_key,
    case when shown.street is null then parcel.house_low else shown.house_low end as house_low,
    case when shown.street is null then parcel.house_high else shown.house_high end as house_high,
    case when shown.street is null then parcel.unit_key else shown.unit_key end as unit_key,
    coalesce(nullif(shown.county_value, 0), parcel.county_value) as county_value,
    coalesce(shown.property_class, parcel.property_class) as property_class
  from shown
  left join parcel_addresses as parcel
    on parcel.county_fips = shown.county_fips
    and parcel.parcel_key = shown.parcel_key
),

-- A sheriff prints street and ZIP of a parcel, which some counties' own lists lack
sheriff_address as (
  select county_fips, parcel_key, street, city, zip, address_key, street_key, house_low, house_high, unit_key
  from stg_sheriff_sales
  where parcel_key is not null and address_key is not null
  qualify row_number() over (partition by county_fips, parcel_key order by sale_date desc, observed_at desc, case_key, source) = 1
),

addressed as (
  select
    placed.* exclude (street, city, zip, address_key, street_key, house_low, house_high, unit_key),
    printed.address_key is not null and placed.address_key is null as is_from_sale,
    case when placed.address_key is null then coalesce(printed.street, placed.street) else placed.street end as address,
    -- City and ZIP too, where list and sheriff print the same address for the parcel
    case when placed.address_key is null or placed.address_key = printed.address_key then coalesce(placed.city, printed.city) else placed.city end as city,
    case when placed.address_key is null or placed.address_key = printed.address_key then coalesce(placed.zip, printed.zip) else placed.zip end as zip,
    case when placed.address_key is null then printed.address_key else placed.address_key end as address_key,
    case when placed.address_key is null then printed.street_key else placed.street_key end as street_key,
    case when placed.address_key is null then printed.house_low else placed.house_low end as house_low,
    case when placed.address_key is null then printed.house_high else placed.house_high end as house_high,
    case when placed.address_key is null then printed.unit_key else placed.unit_key end as unit_key
  from placed
  left join sheriff_address as printed
    on printed.county_fips = placed.county_fips
    and printed.parcel_key = placed.parcel_key
),

county_zips as (select * from ref_county_zips),

-- A list without ZIPs: where the owner gets mail at the property itself, the mail's ZIP, if one of the county, is its ZIP
zipped as (
  select
    addressed.* replace (
      case when is_mail_here then coalesce(city, mail_city) else city end as city,
      case when is_mail_here then mail_zip else zip end as zip
    ),
    case when is_mail_here then 'owner_mail' when zip is not null then 'published' end as zip_basis
  from addressed
  cross join lateral (
    select zip is null
      and mail_state = state
      and mail_street_key = street_key
      and cast(mail_house as integer) between house_low and house_high
      and exists (from county_zips where county_zips.county_fips = addressed.county_fips and starts_with(mail_zip, county_zips.zip_prefix)) as is_mail_here
  )
),

today as (
  select
    -- The published fields
    'tax_delinquent' as signal_type,
    zipped.county,
    zipped.address,
    zipped.owner_name,
    zipped.parcel_id,
    zipped.amount,
    zipped.source_url,
    zipped.observed_at as last_seen,
    zipped.address_key is not null as has_address,
    case
      when zipped.address_key is not null then 'available'
      when zipped.address is null then 'pending_parcel_lookup'
      else 'no_house_number'
    end as address_status,

    -- State: a parcel on which nothing is owed is no delinquency, listed or not
    zipped.signal_id as id,
    case when zipped.amount <= 0 then 'removed' else 'listed' end as signal_state,
    case when zipped.amount <= 0 then 'balance_zero' else 'on_the_list' end as state_reason,
    case
      when before.signal_state = case when zipped.amount <= 0 then 'removed' else 'listed' end then before.state_since
      else as_of.as_of
    end as state_since,
    zipped.county_fips,
    zipped.parcel_key,

    -- Property
    case
      when zipped.address is null then null
      when zipped.is_from_sale then 'sheriff_sale'
      when zipped.is_from_layer then 'parcel_layer'
      else 'tax_list'
    end as address_basis,
    zipped.city,
    zipped.state,
    zipped.zip,
    zipped.zip_basis,
    zipped.address_key,
    zipped.street_key,
    zipped.house_low,
    zipped.house_high,
    zipped.unit_key,

    -- Owner. A box at a post office in the state says nothing of where the owner lives
    zipped.mail_street,
    zipped.mail_city,
    zipped.mail_state,
    zipped.mail_zip,
    case
      when not regexp_full_match(zipped.mail_state, '[A-Z]{2}') or zipped.mail_state is null then 'unknown'
      when zipped.mail_state <> zipped.state then 'out_of_state'
      when zipped.mail_kind <> 'street' or zipped.street_key is null then 'unknown'
      when zipped.mail_street_key = zipped.street_key
        and cast(zipped.mail_house as integer) between zipped.house_low and zipped.house_high
        and coalesce(zipped.mail_zip = zipped.zip, true) then 'at_property'
      else 'in_state'
    end as owner_location,

    -- Debt
    case
      when zipped.years_delinquent is not null then zipped.years_delinquent
      when zipped.certified_year <= year(as_of.as_of) then year(as_of.as_of) - zipped.certified_year
    end as years_delinquent,
    case
      when zipped.years_delinquent is not null then 'published'
      -- A year to come is a slip of the county's, and says nothing of the past
      when zipped.certified_year <= year(as_of.as_of) then 'since_certified_year'
      else 'unknown'
    end as years_basis,
    zipped.certified_year,
    nullif(zipped.county_value, 0) as county_value,
    percentage(zipped.amount, zipped.county_value) as amount_to_value_pct,
    zipped.property_class,

    -- Provenance
    coalesce(before.first_seen, zipped.observed_at) as first_seen,
    zipped.source,
    zipped.page_sha256,
    zipped.page_row
  from zipped
  cross join as_of
  left join before on before.id = zipped.signal_id
),

no_longer_shown as (
  select
    before.* replace (
      case
        when before.signal_state = 'removed' then 'removed'
        when lists.source is null then 'unknown'
        when lists.last_good_at > before.last_seen then 'removed'
        else before.signal_state
      end as signal_state,
      case
        when before.signal_state = 'removed' then before.state_reason
        when lists.source is null then 'source_not_read'
        when lists.last_good_at > before.last_seen then 'not_on_latest_list'
        else before.state_reason
      end as state_reason,
      case
        when before.signal_state = 'removed' then before.state_since
        when lists.source is null and before.signal_state = 'unknown' then before.state_since
        when lists.source is null or lists.last_good_at > before.last_seen then as_of.as_of
        else before.state_since
      end as state_since,
      coalesce(before.zip_basis, case when before.zip is not null then 'published' end) as zip_basis
    )
  from before
  cross join as_of
  left join lists on lists.source = before.source
  where before.id not in (select id from today)
),

together as (
  select * from today
  union all by name
  select * from no_longer_shown
)

select
  signal_type, county, address, owner_name, parcel_id, amount, source_url, last_seen, has_address, address_status,
  id, signal_state, state_reason, state_since, county_fips, parcel_key, address_basis, city, state, zip, zip_basis,
  address_key, street_key, house_low, house_high, unit_key,
  mail_street, mail_city, mail_state, mail_zip, owner_location,
  cast(years_delinquent as integer) as years_delinquent, years_basis, certified_year, county_value, amount_to_value_pct, property_class,
  first_seen, source, page_sha256, page_row
from together

-- One row per signal or auction, today's and earlier ones, with the keys that identify its property. A parcel number
-- without a digit, or one that a list prints for three addresses, is a placeholder. The address of a building does not
-- identify a condominium in it.
-- Key: record_id

with

records as (
  select
    id as record_id,
    source,
    county_fips,
    case when signal_type = 'tax_delinquent' then lead_id_of(signal_type, county_fips, parcel_key) end as lead_id,
    cast(null as varchar) as case_lead_id,
    parcel_key,
    cast(null as varchar) as case_key,
    zip,
    nullif(letters_digits_and_spaces(city), '') as city,
    address_key,
    unit_key,
    signal_type = 'tax_delinquent' as forms_lead,
    -- Cases of one building may name different apartments
    if(signal_type = 'tax_delinquent', address_key, street_key || ' ' || house_low) as counted_address,
    signal_state = 'listed' as is_current
  from signals

  union all

  select
    id as record_id,
    source,
    county_fips,
    lead_id_of('sheriff_sale_auction', county_fips, parcel_key) as lead_id,
    lead_id_of('sheriff_sale_auction', county_fips, letters_and_digits(case_number)) as case_lead_id,
    parcel_key,
    letters_and_digits(case_number) as case_key,
    zip,
    nullif(letters_digits_and_spaces(city), '') as city,
    address_key,
    unit_key,
    true as forms_lead,
    address_key as counted_address,
    is_upcoming(sale_status, sale_date, run.as_of) as is_current
  from auctions
  cross join run
),

-- Only debts and sales decide whether a parcel number is a placeholder
placeholders as (
  select distinct county_fips, parcel_key, unnest(if(forms_lead, [true, false], [false])) as forms_lead
  from (
    select county_fips, parcel_key, forms_lead
    from records
    where is_current
    group by source, county_fips, parcel_key, forms_lead
    having count(distinct counted_address) > 2
  )
)

select
  records.record_id, records.source, records.county_fips,
  coalesce(records.lead_id, records.case_lead_id) as lead_id,
  records.case_lead_id,
  case
    when placeholders.parcel_key is null and parcel_key_of(records.county_fips, records.parcel_key) is not null
      then records.parcel_key
  end as parcel_key,
  case when regexp_matches(records.case_key, '\d') then records.case_key end as case_key,
  records.zip,
  records.city,
  case
    when condominiums.parcel_key is null or records.unit_key is not null then records.address_key
  end as address_key,
  records.is_current
from records
left join placeholders
  on placeholders.county_fips = records.county_fips
  and placeholders.parcel_key = records.parcel_key
  and placeholders.forms_lead = records.forms_lead
left join int_condominiums as condominiums
  on condominiums.county_fips = records.county_fips
  and condominiums.parcel_key = records.parcel_key

-- One row per property: the county records that stand at exactly its address, or are of a parcel that does. Exactly
-- means that the normalised address and the ZIP are equal. Anything weaker is shown as a candidate and scores nothing,
-- because one owner's debt must never hang on another's house.

with

as_of as (select as_of from run),

properties as (select * from int_properties),

-- A listing may name two addresses too, or the units of the whole building
property_lines as (
  select id, zip, unit_key, unnest(address_lines(address)) as line
  from properties
  where address_key is not null
    and (len(address_lines(address)) > 1 or whole_building(address, units) is not null)
),

named_addresses as (
  select id, zip, unit_key, parts_of_line(line).address_key as address_key
  from property_lines
),

property_addresses as (
  select id, zip, unit_key, address_key
  from properties
  where address_key is not null

  union

  select id, zip, unit_key, address_key
  from named_addresses
  where address_key is not null
),

records as (select * from int_distress_records),

record_addresses as (select * from int_distress_addresses),

county_zips as (select * from ref_county_zips),

counties_read as (
  select county_fips, family
  from source_reads
  where county_fips is not null and last_good_at is not null
),

-- Which kinds of lists say anything about a ZIP
coverage as (
  select
    properties.id,
    coalesce(bool_or(counties_read.family = 'tax'), false) as tax_covered,
    coalesce(bool_or(counties_read.family = 'sheriff'), false) as sale_covered
  from properties
  left join county_zips on starts_with(properties.zip, county_zips.zip_prefix)
  left join counties_read on counties_read.county_fips = county_zips.county_fips
  group by properties.id
),

by_address as (
  select property_addresses.id, record_addresses.kind, record_addresses.record_id, 'address_exact' as match_basis, property_addresses.unit_key
  from property_addresses
  join record_addresses on record_addresses.zip = property_addresses.zip and record_addresses.address_key = property_addresses.address_key
),

-- Where a parcel is, from whatever said it: a list, a sheriff or the county's parcel layer, today or before
placed_parcels as (
  select county_fips, parcel_key, zip, address_key from signals
  union
  select county_fips, parcel_key, zip, address_key from auctions
  union
  select county_fips, parcel_key, zip, address_key from stg_parcels
),

-- A record of a parcel at exactly the address, though the record itself prints another street or none
by_parcel as (
  select distinct property_addresses.id, records.kind, records.record_id, 'parcel_exact' as match_basis, property_addresses.unit_key
  from property_addresses
  join placed_parcels on placed_parcels.zip = property_addresses.zip and placed_parcels.address_key = property_addresses.address_key
  join records on records.county_fips = placed_parcels.county_fips and records.parcel_key = placed_parcels.parcel_key
  where parcel_key_of(records.county_fips, records.parcel_key) is not null
),

-- One condominium of a building is not the building, though the county prints the building's address for it
met as (
  select together.*, records.is_condominium and together.unit_key is null as is_part
  from (select * from by_address union all select * from by_parcel) as together
  join records on records.kind = together.kind and records.record_id = together.record_id
),

exact as (
  select id, kind, record_id, match_basis from met where not is_part
),

condominiums as (
  select id, kind, record_id, 'condominium_of_building' as match_basis from met where is_part
),

-- Numbers that overlap on the same side of the same street
ranges as (
  select properties.id, records.kind, records.record_id, 'address_range' as match_basis
  from properties
  join record_addresses as records
    on records.zip = properties.zip
    and records.street_key = properties.street_key
    and records.unit_key is not distinct from properties.unit_key
    and records.address_key <> properties.address_key
    and records.house_low <= properties.house_high
    and records.house_high >= properties.house_low
    and records.house_low % 2 = properties.house_low % 2
    and (records.house_high > records.house_low or properties.house_high > properties.house_low)
),

without_unit as (
  select properties.id, records.kind, records.record_id, 'address_without_unit' as match_basis
  from properties
  join record_addresses as records
    on records.zip = properties.zip
    and records.street_key = properties.street_key
    and records.house_low = properties.house_low
    and records.house_high = properties.house_high
    and (records.unit_key is null) <> (properties.unit_key is null)
),

-- A county that prints no ZIP: the same street and number may stand in two of its towns
without_zip as (
  select property_addresses.id, records.kind, records.record_id, 'address_without_zip' as match_basis
  from property_addresses
  join county_zips on starts_with(property_addresses.zip, county_zips.zip_prefix)
  join records on records.zip is null and records.county_fips = county_zips.county_fips
  join record_addresses
    on record_addresses.kind = records.kind
    and record_addresses.record_id = records.record_id
    and record_addresses.address_key = property_addresses.address_key
),

weak as (
  select * from condominiums
  union all
  select * from ranges
  union all
  select * from without_unit
  union all
  select * from without_zip
),

found as (
  select *, true as is_exact from exact
  union all
  select *, false as is_exact
  from weak
  where not exists (from exact where exact.id = weak.id and exact.kind = weak.kind and exact.record_id = weak.record_id)
),

-- A record that names two addresses may meet a property twice
once as (
  select found.id, found.match_basis, found.is_exact, records.*
  from found
  join records on records.kind = found.kind and records.record_id = found.record_id
  qualify row_number() over (partition by found.id, found.kind, found.record_id order by match_basis) = 1
),

gathered as (
  select
    once.id,
    sum(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount,
    count(*) filter (where is_exact and kind = 'tax_delinquent') as tax_records,
    count(*) filter (where is_exact and kind = 'sheriff_sale') as sale_records,
    min(date_diff('day', as_of.as_of, sale_date)) filter (where is_exact and kind = 'sheriff_sale') as sale_in_days,
    to_json(list(json_object(
      'kind', kind,
      'id', record_id,
      'match_basis', match_basis,
      'county', county,
      'parcel_id', parcel_id,
      'address', address,
      'amount', said(amount),
      'sale_date', said(sale_date),
      'source_url', source_url,
      'last_seen', instant_text(last_seen)
    ) order by kind, record_id) filter (where is_exact)) as distress_matches,
    to_json(list(json_object(
      'kind', kind,
      'id', record_id,
      'match_basis', match_basis,
      'county', county,
      'parcel_id', parcel_id,
      'address', address,
      'amount', said(amount),
      'sale_date', said(sale_date),
      'source_url', source_url,
      'last_seen', instant_text(last_seen)
    ) order by kind, record_id) filter (where not is_exact)) as distress_candidates
  from once
  cross join as_of
  group by once.id
)

select
  properties.id,
  coalesce(distress_matches, '[]'::json) as distress_matches,
  coalesce(distress_candidates, '[]'::json) as distress_candidates,
  case
    when tax_records + sale_records > 0 then 'matched'
    when properties.address_key is null then 'address_unknown'
    when tax_covered and sale_covered then 'none_found'
    when tax_covered or sale_covered then 'partly_covered'
    else 'county_not_covered'
  end as distress_status,
  json_object(
    'tax_delinquent', case when tax_covered then 'covered' else 'county_not_covered' end,
    'sheriff_sale', case when sale_covered then 'covered' else 'county_not_covered' end
  ) as distress_coverage,
  cast(tax_amount as decimal(14, 2)) as tax_amount,
  cast(coalesce(tax_records, 0) as integer) as tax_records,
  cast(coalesce(sale_records, 0) as integer) as sale_records,
  cast(sale_in_days as integer) as sale_in_days
from properties
join coverage on coverage.id = properties.id
left join gathered on gathered.id = properties.id

-- One row per property: the county records that match it, those that may, and which kinds of records cover its ZIP.

with

counties_read as (
  select county_fips, family
  from source_reads
  where county_fips is not null and last_good_at is not null
),

coverage as (
  select
    properties.id,
    coalesce(bool_or(counties_read.family = 'tax'), false) as tax_covered,
    coalesce(bool_or(counties_read.family = 'sheriff'), false) as sale_covered
  from int_properties as properties
  left join ref_county_zips as county_zips on starts_with(properties.zip, county_zips.zip_prefix)
  left join counties_read on counties_read.county_fips = county_zips.county_fips
  group by properties.id
),

records as (
  select
    matches.id,
    matches.is_exact,
    records.kind,
    records.record_id,
    records.amount,
    date_diff('day', run.as_of, records.sale_date) as sale_in_days,
    json_object(
      'kind', records.kind,
      'id', records.record_id,
      'match_basis', matches.match_basis,
      'county', records.county,
      'parcel_id', records.parcel_id,
      'address', records.address,
      'amount', as_text(records.amount),
      'sale_date', as_text(records.sale_date),
      'source_url', records.source_url,
      'last_seen', instant_text(records.last_seen)
    ) as record
  from int_distress_matches as matches
  join int_distress_records as records
    on records.kind = matches.kind
    and records.record_id = matches.record_id
  cross join run
),

totals as (
  select
    id,
    sum(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount,
    count(*) filter (where is_exact and kind = 'tax_delinquent') as tax_records,
    count(*) filter (where is_exact and kind = 'sheriff_sale') as sale_records,
    min(sale_in_days) filter (where is_exact and kind = 'sheriff_sale') as sale_in_days,
    to_json(list(record order by kind, record_id) filter (where is_exact)) as distress_matches,
    to_json(list(record order by kind, record_id) filter (where not is_exact)) as distress_candidates
  from records
  group by id
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
from int_properties as properties
join coverage on coverage.id = properties.id
left join totals on totals.id = properties.id

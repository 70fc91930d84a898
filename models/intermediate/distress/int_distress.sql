-- One row per property: the public records that match it, those that may match, and which kinds of records cover its
-- place. The condition record says most about the building: that it is condemned, ordered to be vacated or registered
-- as vacant, or that the city has an open case on a serious fault.
-- Key: id
-- Not null: condition_record

with

kinds_of_sources as (
  select county_fips, covered_city, unnest(string_split(covered_kinds, ', ')) as kind
  from source_reads
  where county_fips is not null and last_good_at is not null
),

-- The county of a property follows from its ZIP. A source of one city covers only properties in that city
covered_kinds as (
  select
    properties.id,
    kinds.kind,
    bool_or(
      kinds.covered_city is null
      or coalesce(
        letters_digits_and_spaces(kinds.covered_city) = letters_digits_and_spaces(properties.city),
        false
      )
    ) as is_covered
  from int_properties as properties
  join ref_county_zips as county_zips on starts_with(properties.zip, county_zips.zip_prefix)
  join kinds_of_sources as kinds on kinds.county_fips = county_zips.county_fips
  group by properties.id, kinds.kind
),

coverage as (
  select
    id,
    map_from_entries(list((kind, if(is_covered, 'covered', 'partly_covered')))) as by_kind,
    coalesce(bool_or(is_covered) filter (where kind = 'tax_delinquent'), false) as tax_covered,
    coalesce(bool_or(is_covered) filter (where is_kind_of_sale(kind)), false) as sale_covered,
    coalesce(bool_or(kind = 'tax_delinquent' or is_kind_of_sale(kind)), false) as any_covered
  from covered_kinds
  group by id
),

records as (
  select
    matches.id, matches.is_exact, records.kind, records.counts_as, records.record_id, records.amount, records.filed_on,
    records.source_url,
    condition_record_of(records.kind, records.description) as condition_record,
    records.sale_date is not null as is_sale,
    date_diff('day', run.as_of, records.sale_date) as sale_in_days,
    json_object(
      'kind', records.kind,
      'id', records.record_id,
      'match_basis', matches.match_basis,
      'county', records.county,
      'parcel_id', records.parcel_id,
      'address', records.address,
      'amount', as_text(records.amount),
      'filed_on', as_text(records.filed_on),
      'sale_date', as_text(records.sale_date),
      'description', records.description,
      'source_url', records.source_url,
      'last_seen', instant_text(records.last_seen)
    ) as record
  from int_distress_matches as matches
  join int_distress_records as records
    on records.kind = matches.kind
    and records.record_id = matches.record_id
  cross join run
),

-- Only tax delinquencies and sales score
totals as (
  select
    id,
    sum(amount) filter (where is_exact and kind = 'tax_delinquent') as tax_amount,
    count(*) filter (where is_exact and kind = 'tax_delinquent') as tax_records,
    count(*) filter (where is_exact and is_sale) as sale_records,
    min(sale_in_days) filter (where is_exact and is_sale) as sale_in_days,
    arg_min(kind, (sale_in_days, kind)) filter (where is_exact and is_sale) as next_sale_type,
    count(*) filter (where is_exact) as exact_records,
    count(distinct counts_as) filter (where is_exact) as independent_kinds,
    to_json(list_sort(list(distinct kind) filter (where is_exact))) as distress_kinds,
    to_json(list(record order by kind, record_id) filter (where is_exact)) as distress_matches,
    to_json(list(record order by kind, record_id) filter (where not is_exact)) as distress_candidates
  from records
  group by id
),

-- The gravest record; of several the newest
condition_records as (
  select id, condition_record, filed_on, record_id, source_url
  from records
  where is_exact and condition_record is not null
  qualify row_number() over (
    partition by id
    order by
      list_position(['condemned', 'order_to_vacate', 'vacant_building', 'code_case'], condition_record),
      filed_on desc nulls last,
      record_id
  ) = 1
)

select
  properties.id,
  coalesce(distress_kinds, '[]'::json) as distress_kinds,
  cast(coalesce(independent_kinds, 0) as integer) as distress_signals_count,
  coalesce(distress_matches, '[]'::json) as distress_matches,
  coalesce(distress_candidates, '[]'::json) as distress_candidates,
  case
    when exact_records > 0 then 'matched'
    when properties.address_key is null then 'address_unknown'
    when tax_covered and sale_covered then 'none_found'
    when any_covered then 'partly_covered'
    else 'county_not_covered'
  end as distress_status,
  to_json(map_from_entries([(kind, coverage_of(by_kind, kind)) for kind in record_kinds()])) as distress_coverage,
  cast(tax_amount as decimal(14, 2)) as tax_amount,
  cast(coalesce(tax_records, 0) as integer) as tax_records,
  cast(coalesce(sale_records, 0) as integer) as sale_records,
  cast(sale_in_days as integer) as sale_in_days,
  next_sale_type,
  coalesce(condition_record, 'none') as condition_record,
  condition_records.filed_on as condition_record_on,
  condition_records.record_id as condition_record_id,
  condition_records.source_url as condition_record_url
from int_properties as properties
left join coverage on coverage.id = properties.id
left join totals on totals.id = properties.id
left join condition_records on condition_records.id = properties.id

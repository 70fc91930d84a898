-- One row per metro and kind of record: which counties its sources cover, how many rows they have, how old the rows
-- are, and how well they join. A metro without listings has rows for its sources' kinds only.

with

-- The county of a source outside every metro counts as a metro of its own
metro_counties as (
  select metro, county_fips, county || ', ' || state as county, is_core, has_listings
  from ref_metro_counties

  union all

  select
    min(county) as metro, county_fips, min(county) as county,
    true as is_core,
    false as has_listings
  from source_reads
  anti join ref_metro_counties using (county_fips)
  where county_fips is not null
  group by county_fips
),

kinds as (select unnest(record_kinds() || ['parcel_roll']) as kind),

record_rows as (
  select
    source, county_fips, signal_type as kind, parcel_key, zip, address_key, first_seen,
    signal_state = 'listed' as is_listed
  from signals

  union all

  select
    source, county_fips, auction_type as kind, parcel_key, zip, address_key, first_seen,
    is_upcoming(sale_status, sale_date, run.as_of) as is_listed
  from auctions
  cross join run

  union all

  -- All rows of a roll: stg_parcels has only parcels that another row may refer to
  select
    source, county_fips, 'parcel_roll' as kind,
    cast(null as varchar) as parcel_key,
    zip,
    nullif(first_number(street), '') as address_key,
    cast(null as timestamp) as first_seen,
    true as is_listed
  from staged_parcel
  where is_lot is not true
),

declared as (
  select
    source, county_fips, covered_city, last_good_at,
    unnest(string_split(covered_kinds, ', ')) as kind
  from source_reads
  where county_fips is not null
),

listed_kinds as (
  select distinct source, county_fips, kind
  from record_rows
  where is_listed and source in (select source from source_reads)
),

-- Sources by county and kind: those whose declaration covers the county, and those with rows there
contributions as (
  select source, county_fips, kind, covered_city, true as is_declared
  from declared
  where last_good_at is not null

  union all

  select source, county_fips, kind, cast(null as varchar) as covered_city, false as is_declared
  from listed_kinds
  anti join declared using (source, county_fips, kind)
),

counties as (
  select
    counties.metro, counties.county_fips, counties.county, counties.is_core, counties.has_listings, kinds.kind,
    case
      when bool_or(contributions.is_declared and contributions.covered_city is null) then 'covered'
      when count(contributions.source) > 0 then 'partly_covered'
      else 'not_covered'
    end as status,
    min(contributions.covered_city) as covered_city
  from metro_counties as counties
  cross join kinds
  left join contributions
    on contributions.county_fips = counties.county_fips
    and contributions.kind = kinds.kind
  group by all
),

metros as (
  select
    metro,
    kind,
    bool_or(has_listings) as has_listings,
    coverage_status(list(status)) as status,
    coverage_status(list(status) filter (where is_core)) as core_status,
    count(*) as counties_total,
    to_json(list(json_object(
      'county_fips', county_fips, 'county', county, 'is_core', is_core, 'status', status, 'covered_city', covered_city
    ) order by is_core desc, county_fips) filter (where status <> 'not_covered')) as counties
  from counties
  group by metro, kind
),

sources_of_metros as (
  select
    metro,
    kind,
    to_json(list(json_object(
      'source', source,
      'title', reads.title,
      'home', reads.home,
      'county', reads.county,
      'covered_city', reads.covered_city,
      'status', reads.status,
      'last_good_at', instant_text(reads.last_good_at),
      'age_days', reads.age_days,
      'every_days', reads.every_days,
      'terms_basis', reads.terms_basis,
      'terms_note', reads.terms_note,
      'terms_url', reads.terms_url
    ) order by source)) as sources,
    max(reads.last_good_at) as newest_read,
    min(reads.last_good_at) as oldest_read,
    max(reads.age_days) as age_days
  from (select distinct metro, kind, source from contributions join metro_counties using (county_fips)) as named
  join source_reads as reads using (source)
  group by metro, kind
),

unread_sources as (
  select
    metro,
    kind,
    string_agg(
      source || coalesce(' (' || coalesce(reads.detail, reads.reason) || ')', ''),
      '; ' order by source
    ) as names
  from (select distinct source, county_fips, kind from declared where last_good_at is null) as unread
  join metro_counties using (county_fips)
  join source_reads as reads using (source)
  group by metro, kind
),

-- A parcel number joins the roll of its county, if that roll is read
counts as (
  select
    metro,
    kind,
    count(*) as row_count,
    count_if(is_listed) as listed_rows,
    min(first_seen) as since,
    count_if(is_listed and address_key is not null) as addressed,
    count_if(is_listed and zip is not null) as with_zip,
    count_if(is_listed and has_roll) as of_rolls,
    count_if(is_listed and has_roll and roll.parcel_key is not null) as in_rolls
  from (
    select
      *,
      kind <> 'parcel_roll' and county_fips in (select county_fips from stg_parcels) as has_roll
    from record_rows
  ) as record_rows
  join metro_counties as counties using (county_fips)
  left join (select county_fips, parcel_key from stg_parcels) as roll
    on roll.county_fips = record_rows.county_fips
    and roll.parcel_key = record_rows.parcel_key
  group by metro, kind
),

listings as (
  select properties.id, places.metro, properties.zip, properties.address_key
  from int_properties as properties
  join int_deal_places as places on places.id = properties.id
  where properties.listing_status = 'active' and places.metro is not null
),

listings_of_metros as (
  select metro, count(*) as listings
  from listings
  group by metro
),

matched_listings as (
  select metro, kind, count(distinct id) as listings_matched
  from (
    select listings.metro, matches.kind, listings.id
    from int_distress_matches as matches
    join listings on listings.id = matches.id
    where matches.is_exact

    union all

    select listings.metro, 'parcel_roll' as kind, listings.id
    from listings
    join stg_parcels as roll
      on roll.zip = listings.zip
      and roll.address_key = listings.address_key
  )
  group by metro, kind
),

reasons as (
  select metro, kind, 'Looked for: ' || looked_for || '. Found: ' || finding || ' (' || read_on || ').' as reason
  from ref_not_covered_reasons
)

select
  * replace (
    cast(counties_total as integer) as counties_total,
    coalesce(counties, '[]'::json) as counties,
    coalesce(sources, '[]'::json) as sources,
    cast(coalesce(row_count, 0) as integer) as row_count,
    cast(coalesce(listed_rows, 0) as integer) as listed_rows,
    cast(age_days as integer) as age_days,
    cast(coalesce(listings, 0) as integer) as listings,
    cast(coalesce(listings_matched, 0) as integer) as listings_matched
  ),
  percentage(addressed, nullif(listed_rows, 0)) as address_pct,
  percentage(with_zip, nullif(listed_rows, 0)) as zip_pct,
  percentage(in_rolls, nullif(of_rolls, 0)) as parcel_pct,
  percentage(coalesce(listings_matched, 0), nullif(listings, 0)) as match_pct,
  case
    when status <> 'not_covered' then null
    when unread_sources.names is not null then 'Not read yet: ' || unread_sources.names || '.'
    else coalesce(of_kind.reason, of_metro.reason, 'No public source is declared.')
  end as why
from metros
left join sources_of_metros using (metro, kind)
left join unread_sources using (metro, kind)
left join counts using (metro, kind)
left join listings_of_metros using (metro)
left join matched_listings using (metro, kind)
left join reasons as of_kind using (metro, kind)
left join reasons as of_metro on of_metro.metro = metros.metro and of_metro.kind is null
where has_listings or status <> 'not_covered'

-- never status_as_said: a kind that is not covered has no source and says why; the others have sources and counties
(status = 'not_covered') <> (why is not null)
  or (status = 'not_covered') <> (json_array_length(sources) = 0)
  or (status = 'not_covered') <> (json_array_length(counties) = 0)
  or (status = 'covered' and core_status <> 'covered');
-- never counts_in_order: rows in force are rows, and matched listings are listings
listed_rows > row_count or listings_matched > listings
  or address_pct > 100 or zip_pct > 100 or parcel_pct > 100;

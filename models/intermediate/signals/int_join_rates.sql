-- One row per county source and question: how many of its rows have an address, a ZIP, or a parcel in the county's
-- other source, and whether that share is too low. If a site changes its key or a field, rows stay readable but join
-- nothing.
-- Key: source, question
-- Not null: share_pct

with

county_rows as (
  select
    source, county_fips, parcel_key, zip,
    case when address_key is not null then address end as street
  from signals
  where signal_state = 'listed'

  union all

  select
    source, county_fips, parcel_key, zip,
    case when address_key is not null then street end as street
  from stg_auctions

  union all

  select
    source, county_fips, parcel_key, zip,
    case when address_key is not null then street end as street
  from stg_parcels
),

listed_parcels as (
  select distinct county_fips, parcel_key
  from signals
  where signal_state = 'listed' and parcel_key is not null
),

answers as (
  select
    rows.source,
    reads.family,
    -- A city, state or ZIP after the street: the field is a whole address, which matches no street
    rows.street is not null and not regexp_matches(rows.street, ',.*\b[A-Z]{2},?\s*\d{5}(-\d{4})?\s*$', 'i')
      as has_address,
    rows.zip is not null as has_zip,
    case
      -- A record without a parcel number cannot be in a layer
      when rows.parcel_key is null then null
      when reads.family = 'parcels' and rows.county_fips in (select county_fips from listed_parcels)
        then (rows.county_fips, rows.parcel_key) in (from listed_parcels)
      when reads.family = 'parcels' then null
      when rows.county_fips in (select county_fips from stg_parcels)
        then (rows.county_fips, rows.parcel_key) in (select (county_fips, parcel_key) from stg_parcels)
    end as has_parcel
  from county_rows as rows
  join source_reads as reads using (source)
),

counts as (
  select
    source, count(*) as rows_read, count_if(has_address) as with_address, count_if(has_zip) as with_zip,
    -- A sale need not concern a delinquent parcel, and some layers have delinquent parcels only
    count(has_parcel) filter (family <> 'auctions') as asked_for_parcel, count_if(has_parcel) as with_parcel
  from answers
  group by source
),

shares as (
  select
    source,
    unnest([
      {'question': 'address', 'noun': 'a street address', 'answered': rows_read, 'met': with_address,
        'least_pct': reads.least_address_pct, 'before_pct': before.address_pct},
      {'question': 'zip', 'noun': 'a ZIP', 'answered': rows_read, 'met': with_zip,
        'least_pct': reads.least_zip_pct, 'before_pct': before.zip_pct},
      {'question': 'parcel', 'noun': 'a parcel in the other source of the county', 'answered': asked_for_parcel,
        'met': with_parcel, 'least_pct': reads.least_parcel_pct, 'before_pct': before.parcel_pct}
    ], recursive := true)
  from counts
  join source_reads as reads using (source)
  left join previous_sources as before using (source)
)

select
  source, question, cast(answered as integer) as answered, percentage(met, answered) as share_pct,
  least_pct, before_pct,
  case
    -- Too few rows for a meaningful share
    when not are_enough(answered) then null
    when share_pct < least_pct
      then share_pct || ' % of ' || answered || ' rows have ' || noun || ', expected at least '
        || least_pct || ' %'
    when question = 'parcel' and met = 0 then 'none of ' || answered || ' rows has ' || noun
    when has_fallen(share_pct, before_pct)
      then share_pct || ' % of ' || answered || ' rows have ' || noun || ', ' || before_pct || ' % before'
  end as finding
from shares
where answered > 0

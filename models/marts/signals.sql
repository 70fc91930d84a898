-- One row per signal: a parcel that is or was on a county's delinquency list, or another public record of distress.
-- Today's lists first. A row of the previous snapshot that a good read of its list lacks stays as removed: a debt was
-- paid, a case was closed, or it moved to another status.

with

todays_signals as (
  select
    * exclude (signal_id, observed_at, parts, mail_kind, mail_street_key, mail_house),
    signal_id as id,
    observed_at as last_seen,
    unnest(parts),
    owner_location_of(
      struct_pack(
        kind := mail_kind, street_key := mail_street_key, house := mail_house, state := mail_state, zip := mail_zip
      ),
      struct_pack(
        street_key := parts.street_key, house_low := parts.house_low, house_high := parts.house_high,
        state := state, zip := zip
      )
    ) as owner_location
  from int_todays_signals
),

signals_with_dates as (
  select
    todays_signals.*,
    case
      when previous.signal_state = todays_signals.signal_state then previous.state_since
      else run.as_of
    end as state_since,
    coalesce(previous.first_seen, todays_signals.last_seen) as first_seen
  from todays_signals
  cross join run
  left join previous_signals as previous on previous.id = todays_signals.id
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
      end as state_since
    )
  from previous_signals as previous
  cross join run
  left join source_reads as sources on sources.source = previous.source
  where previous.id not in (select id from todays_signals)
),

all_signals as materialized (
  select * from signals_with_dates
  union all by name
  select
    * exclude (
      has_address, address_status, years_delinquent, amount_to_value_pct, property_kind, property_kind_basis,
      latitude, longitude, geo_basis, metro, missing_fields, missing_since,
      corrected
    )
  from no_longer_listed
),

parcel_points as (
  select county_fips, parcel_key, latitude as parcel_latitude, longitude as parcel_longitude
  from stg_parcels
  where latitude is not null
),

zip_points as (
  select zip, latitude as zip_latitude, longitude as zip_longitude
  from ref_zip_places
)

select
  * replace (
    cast(months_delinquent as integer) as months_delinquent,
    coalesce(kinds.property_kind, 'unknown') as property_kind,
    coalesce(kinds.property_kind_basis, 'not_published_by_county') as property_kind_basis
  ),
  address_key is not null as has_address,
  case
    when address_key is not null then 'available'
    when address is null then 'pending_parcel_lookup'
    else 'no_house_number'
  end as address_status,
  cast(months_delinquent // months_per_year as integer) as years_delinquent,
  percentage(amount, county_value) as amount_to_value_pct,
  coalesce(parcel_latitude, zip_latitude) as latitude,
  coalesce(parcel_longitude, zip_longitude) as longitude,
  geo_basis_of(parcel_latitude, zip, zip_latitude) as geo_basis
from all_signals
cross join terms
left join int_property_classes as kinds using (county_fips, property_class)
left join parcel_points using (county_fips, parcel_key)
left join zip_points using (zip)
left join int_metros using (county_fips)
left join int_missing_fields using (source)
left join corrected_rows using (source, page_sha256, page_row)

-- never has_address_agrees: has_address is true exactly if address_status is available
(address_status = 'available') <> has_address or has_address <> (address_key is not null);
-- never state_agrees: state and reason go together
(signal_state, state_reason) not in (
  ('listed', 'on_the_list'),
  ('removed', 'balance_zero'),
  ('removed', 'closed_by_publisher'),
  ('unknown', 'no_recent_event'),
  ('removed', 'not_on_latest_list'),
  ('unknown', 'source_not_read'));
-- never years_absent_as_said: years and months of delinquency are null exactly if their basis says so
(years_delinquent is null) <> (years_basis in ('unknown', 'not_applicable'))
  or (months_delinquent is null) <> (years_basis in ('unknown', 'not_applicable'))
  or (years_basis = 'not_applicable') <> (signal_type <> 'tax_delinquent');
-- never identified_as_said: a tax delinquency has a parcel and no record number, another record has a number
(signal_type = 'tax_delinquent') <> (record_number is null)
  or (parcel_id is null) <> (parcel_key is null)
  or (signal_type = 'tax_delinquent' and parcel_key is null);
-- never amount_basis_as_said: amount_basis is null exactly if the amount is, and of the kinds of its signal type
(amount is null) <> (amount_basis is null)
  or (signal_type = 'tax_delinquent') <> (amount_basis in ('net', 'principal'));
-- never zip_absent_as_said: the ZIP is null exactly if its basis is
(zip is null) <> (zip_basis is null);
-- never city_absent_as_said: the city is null exactly if its basis is
(city is null) <> (city_basis is null);
-- never seen_in_order: first_seen is not after last_seen
first_seen > last_seen;
-- never ratio_as_said: amount_to_value_pct is amount over county_value, null exactly if one of them is
amount_to_value_pct is distinct from percentage(amount, county_value);
-- never figures_in_range: amounts of listed parcels and county values are positive, and years are not negative
(signal_state = 'listed' and amount <= 0)
  or county_value <= 0
  or years_delinquent < 0
  or cast(last_seen as date) > (select as_of + 1 from run);
-- audit none_lost: every published signal stays
select id from previous_signals anti join signals using (id);

-- One row per state, county, city and ZIP that a record has, also one that left its list, and per county and ZIP of the
-- reference tables: the places that the API knows, in every spelling that a source uses.

with

found as (
  select state, county_fips, county, city, zip, listing_status = 'active' as is_listing, false as is_record
  from deals

  union all

  select state, county_fips, county, city, zip, false as is_listing, is_listed_signal(signal_state) as is_record
  from signals

  union all

  select state, county_fips, county, city, zip, false as is_listing, not is_called_off(sale_status) as is_record
  from auctions

  union all

  select state, county_fips, county, city, zip, false as is_listing, false as is_record
  from changes
  where list <> 'filings' and state is not null

  union all

  select state, county_fips, county, null as city, null as zip, false as is_listing, false as is_record
  from owners

  union all

  select state, county_fips, null as county, null as city, null as zip, false as is_listing, false as is_record
  from ref_counties

  union all

  select state, county_fips, null as county, null as city, zip_prefix as zip, false as is_listing, false as is_record
  from ref_county_zips
  join ref_counties using (county_fips)
),

named as (
  select
    found.state,
    found.county_fips,
    coalesce(found.county, counties.county || ', ' || counties.state) as county,
    int_metros.metro, found.city, found.zip, found.is_listing, found.is_record
  from found
  left join ref_counties as counties on counties.county_fips = found.county_fips
  left join int_metros on int_metros.county_fips = found.county_fips
)

select
  uuid_of(concat_ws(
    '|', 'place', state, coalesce(county_fips, ''), coalesce(county, ''), coalesce(city, ''), coalesce(zip, '')
  )) as id,
  state, county_fips, county, metro, city, zip,
  bool_or(is_listing) as has_listings,
  bool_or(is_record) as has_records
from named
group by state, county_fips, county, metro, city, zip

-- never county_as_said: a county has a name and a code, and only a place in one has a metro
(county is null) <> (county_fips is null) or (county_fips is null and metro is not null);
-- audit of_every_record: every county and city of a list is a place
select distinct county, city from (
  select county, city from deals union all select county, city from signals
  union all select county, city from auctions union all select county, city from leads
  union all select county, city from changes where list <> 'filings'
  union all select county, null from owners) as records
where county not in (select county from places where county is not null)
  or city is not null and city not in (select city from places where city is not null);

-- One row per record that may be a lead (a listed tax delinquency or an upcoming sale) and other record in force of the
-- same property: of the same parcel, or of exactly the same address. A placeholder is no parcel, and the address of a
-- building is not the address of a condominium in it. Each join uses equalities only: with OR, DuckDB would compare all
-- records of a county with each other.
-- Key: record_id, other_id

with

records_of_leads as (
  select record_id, kind, counts_as
  from int_distress_records
  where kind = 'tax_delinquent' or sale_date is not null
),

places as (
  select record_id, county_fips, parcel_key, zip, address_key
  from int_property_records
  where is_current
),

pairs as (
  select own.record_id, other.record_id as other_id, 'parcel_exact' as match_basis
  from records_of_leads
  join places as own using (record_id)
  join places as other
    on other.county_fips = own.county_fips
    and other.parcel_key = own.parcel_key

  union all

  select own.record_id, other.record_id as other_id, 'address_exact' as match_basis
  from records_of_leads
  join places as own using (record_id)
  join places as other
    on other.county_fips = own.county_fips
    and other.zip = own.zip
    and other.address_key = own.address_key

  union all

  select signal_id as record_id, auction_id as other_id, match_basis
  from int_debts_of_sales

  union all

  select auction_id as record_id, signal_id as other_id, match_basis
  from int_debts_of_sales
),

-- The parcel is the stronger basis
distinct_pairs as (
  select record_id, other_id, max(match_basis) as match_basis
  from pairs
  where record_id <> other_id
  group by record_id, other_id
)

select
  pairs.record_id,
  own.kind as own_kind,
  own.counts_as as own_counts_as,
  pairs.other_id, other.kind, other.counts_as, other.record_name, other.filed_on, other.sale_date, other.source,
  other.source_url, pairs.match_basis
from distinct_pairs as pairs
join records_of_leads as own on own.record_id = pairs.record_id
join int_distress_records as other on other.record_id = pairs.other_id

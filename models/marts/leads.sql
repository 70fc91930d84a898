-- One row per property that qualifies as a lead: a listed delinquency or an upcoming sale, with a street address and
-- read within the last seven days. Public records only. The rules that depend on time (seven days, sale date) hold at
-- the data clock here, and the API applies them again. A sold property is left out.

with

all_leads as materialized (
  select * from int_auction_leads
  union all by name
  select * from int_tax_leads
),

corrected_records as (
  select id as record_id, corrected from signals where corrected is not null
  union all
  select id as record_id, corrected from auctions where corrected is not null
),

rolls as (
  select
    county_fips,
    parcel_key,
    last_sale_date,
    last_sale_price,
    county_value as assessed_market_value,
    source as roll_source,
    source_url as roll_source_url
  from stg_parcels
)

select
  lead_type, lead_score, score_rationale, address, source_url,

  -- Auction
  auction_type, county, sale_date, property_address, city, appraised_value, opening_bid, plaintiff,

  -- Lead
  id, score_parts,
  by_age(
    verified_age_days, lead_fresh_days, lead_recent_days,
    'within_1_day', 'within_3_days', 'within_7_days'
  ) as freshness,
  last_verified, verified_age_days, first_seen, signal_id, auction_id, corroboration,
  signals_count, signal_kinds,

  -- Property
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key,
  owner_location, owner_name,

  -- Debt
  amount, years_delinquent, months_delinquent, certified_year, county_value, amount_to_value_pct,
  property_class, property_kind, property_kind_basis,
  mail_street, mail_city, mail_state, mail_zip,

  -- Sale
  case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref,
  sale_kind, sale_round, deposit,

  -- Equity
  judgment_amount, unpaid_taxes, property_value, value_basis, equity_pct,

  -- The county's roll
  last_sale_date, last_sale_price, assessed_market_value, roll_source, roll_source_url,

  source, page_sha256, assumption_set_id,

  -- Place
  latitude, longitude, geo_basis, metro, missing_fields, missing_since, corrected
from all_leads
cross join terms
left join rolls using (county_fips, parcel_key)
left join int_metros using (county_fips)
left join int_missing_fields using (source)
left join corrected_records on record_id = coalesce(signal_id, auction_id)
where id not in (select subject from staged_suppression)

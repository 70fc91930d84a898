-- One row per listed tax delinquency that qualifies as a lead, scored: with a street address, read within the last seven
-- days and not sold.

with

as_of as (select as_of from run),

terms as (
  select
    assumption('lead_max_age_days')::integer as lead_max_age_days,
    assumption('lead_fresh_days')::integer as lead_fresh_days,
    assumption('lead_recent_days')::integer as lead_recent_days,
    assumption('tax_base')::integer as tax_base,
    assumption('tax_value_max')::integer as tax_value_max,
    assumption('tax_value_from_pct')::decimal(6, 2) as tax_value_from_pct,
    assumption('tax_value_span_pct')::decimal(6, 2) as tax_value_span_pct,
    assumption('tax_amount_max')::integer as tax_amount_max,
    assumption('tax_amount_per_point')::decimal(14, 2) as tax_amount_per_point,
    assumption('tax_points_per_year')::integer as tax_points_per_year,
    assumption('tax_years_max')::integer as tax_years_max,
    assumption('tax_absentee_out_of_state')::integer as tax_absentee_out_of_state,
    assumption('tax_absentee_in_state')::integer as tax_absentee_in_state,
    assumption('tax_corroboration_sale')::integer as tax_corroboration_sale,
    assumption('tax_corroboration_listing')::integer as tax_corroboration_listing,
    assumption('tax_fresh')::integer as tax_fresh,
    assumption('tax_recent')::integer as tax_recent,
    assumption('tax_old')::integer as tax_old
),

listed as (
  select * from signals where signal_state = 'listed'
),

for_sale as (
  select id, listing_url, address_key, zip
  from int_properties
  where listing_status = 'active' and address_key is not null
),

sale_of_debt as (
  select signal_id, auction_id, sale_url as source_url, if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
  from int_debts_of_sales
  qualify row_number() over (partition by signal_id order by is_same_parcel desc nulls last, sale_date, auction_id) = 1
),

tax_leads as (
  select
    uuid_of('tax_delinquent|' || listed.county_fips || '|' || listed.parcel_key) as lead_id,
    listed.*,
    sale_of_debt.auction_id as sale_id,
    sale_of_debt.source_url as sale_url,
    sale_of_debt.match_basis as sale_match_basis,
    for_sale.id as deal_id,
    for_sale.listing_url as deal_url,
    greatest(0, date_diff('day', cast(listed.last_seen as date), as_of.as_of)) as age
  from listed
  cross join as_of
  cross join terms
  left join sale_of_debt on sale_of_debt.signal_id = listed.id
  left join for_sale on for_sale.zip = listed.zip and for_sale.address_key = listed.address_key
  where listed.has_address
    and lead_id not in (select id from sold_leads)
    and listed.amount > 0
    and age <= lead_max_age_days
),

tax_points as (
  select
    tax_leads.*,
    tax_base as base,
    case
      when county_value is not null then points(amount_to_value_pct, tax_value_from_pct, tax_value_span_pct, tax_value_max)
      else least(tax_amount_max, whole_quotient(amount, tax_amount_per_point))
    end as by_amount,
    case when years_delinquent is null then 0 else least(tax_years_max, tax_points_per_year * years_delinquent) end as by_years,
    case owner_location
      when 'out_of_state' then tax_absentee_out_of_state
      when 'in_state' then tax_absentee_in_state
      else 0
    end as absentee_owner,
    case
      when sale_id is not null then tax_corroboration_sale
      when deal_id is not null then tax_corroboration_listing
      else 0
    end as corroborated,
    case
      when age <= lead_fresh_days then tax_fresh
      when age <= lead_recent_days then tax_recent
      else tax_old
    end as fresh
  from tax_leads
  cross join terms
)

select
  'tax_delinquent' as lead_type,
  cast(base + by_amount + by_years + absentee_owner + corroborated + fresh as integer) as lead_score,
  json_object(
    'base', '+' || base || ' points, the parcel is on the county''s tax delinquency list',
    'amount_to_value', '+' || by_amount || ' points, ' || dollars(amount) || ' is owed, ' || case
      when county_value is not null then said(amount_to_value_pct) || '% of the county''s value'
      else 'and the county''s value is unknown'
    end,
    'years_delinquent', '+' || by_years || ' points, ' || case
      when years_delinquent is null then 'the years of delinquency are unknown'
      when years_basis = 'since_certified_year' then years_delinquent || ' years since the delinquency was certified'
      else years_delinquent || ' years delinquent'
    end,
    'absentee_owner', '+' || absentee_owner || ' points, ' || case owner_location
      when 'in_state' then 'the owner gets mail elsewhere in the state'
      when 'out_of_state' then 'the owner gets mail in another state'
      when 'at_property' then 'the owner gets mail at the property'
      else 'where the owner gets mail is unknown'
    end,
    'corroboration', '+' || corroborated || ' points, ' || case
      when sale_id is not null then 'a sheriff sale of it is set'
      when deal_id is not null then 'it is listed for sale'
      else 'no sheriff sale or listing of it is known here'
    end,
    'freshness', '+' || fresh || ' points, verified ' || case age when 0 then 'today' when 1 then '1 day ago' else age || ' days ago' end
  ) as score_rationale,
  address,
  source_url,
  county,
  city,
  lead_id as id,
  json_object('base', base, 'amount_to_value', by_amount, 'years_delinquent', by_years, 'absentee_owner', absentee_owner, 'corroboration', corroborated, 'freshness', fresh) as score_parts,
  last_seen as last_verified,
  cast(age as integer) as verified_age_days,
  first_seen,
  tax_points.id as signal_id,
  to_json(list_filter([
    case when sale_id is not null then json_object('kind', 'sheriff_sale', 'id', sale_id, 'match_basis', sale_match_basis, 'source_url', sale_url) end,
    case when deal_id is not null then json_object('kind', 'listing', 'id', deal_id, 'match_basis', 'address_exact', 'source_url', deal_url) end
  ], lambda x: x is not null)) as corroboration,
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key, owner_location,
  owner_name, amount, years_delinquent, certified_year, county_value, amount_to_value_pct, property_class,
  mail_street, mail_city, mail_state, mail_zip,
  source, page_sha256
from tax_points

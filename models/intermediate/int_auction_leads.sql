-- One row per sheriff sale to come that qualifies as a lead, scored: the next sale of a parcel or case, with a street
-- address, read within the last seven days and not sold.

with

as_of as (select as_of from run),

terms as (
  select
    assumption('lead_max_age_days')::integer as lead_max_age_days,
    assumption('lead_fresh_days')::integer as lead_fresh_days,
    assumption('lead_recent_days')::integer as lead_recent_days,
    assumption('auction_base')::integer as auction_base,
    assumption('auction_gap_max')::integer as auction_gap_max,
    assumption('auction_gap_points_per_pct')::decimal(6, 2) as auction_gap_points_per_pct,
    assumption('auction_days_1')::integer as auction_days_1,
    assumption('auction_days_2')::integer as auction_days_2,
    assumption('auction_days_3')::integer as auction_days_3,
    assumption('auction_days_4')::integer as auction_days_4,
    assumption('auction_urgency_1')::integer as auction_urgency_1,
    assumption('auction_urgency_2')::integer as auction_urgency_2,
    assumption('auction_urgency_3')::integer as auction_urgency_3,
    assumption('auction_urgency_4')::integer as auction_urgency_4,
    assumption('auction_urgency_5')::integer as auction_urgency_5,
    assumption('auction_corroboration')::integer as auction_corroboration,
    assumption('auction_absentee')::integer as auction_absentee,
    assumption('auction_fresh')::integer as auction_fresh,
    assumption('auction_recent')::integer as auction_recent,
    assumption('auction_old')::integer as auction_old
),

upcoming as (
  select auctions.*
  from auctions
  cross join as_of
  where sale_status = 'scheduled' and sale_date >= as_of.as_of
),

debt_of_sale as (
  select auction_id, signal_id, debt_url as source_url, owner_location, if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
  from int_debts_of_sales
  qualify row_number() over (partition by auction_id order by is_same_parcel desc nulls last, signal_id) = 1
),

-- A sale is known by its parcel, or by its case while the parcel is unknown: it stays sold when the one or the other
-- becomes known or is no longer shown
sale_names as (
  select
    auctions.id,
    auctions.county_fips,
    regexp_replace(upper(auctions.case_number), '[^A-Z0-9]', '', 'g') as case_key,
    auctions.parcel_key,
    uuid_of('sheriff_sale_auction|' || auctions.county_fips || '|' || auctions.parcel_key) as lead_of_parcel,
    uuid_of('sheriff_sale_auction|' || auctions.county_fips || '|' || regexp_replace(upper(auctions.case_number), '[^A-Z0-9]', '', 'g')) as lead_of_case
  from auctions
),

sold_cases as (
  select distinct county_fips, case_key
  from sale_names
  where lead_of_parcel in (select id from sold_leads) or lead_of_case in (select id from sold_leads)
),

sold_sales as (
  select sale_names.id
  from sale_names
  left join sold_cases using (county_fips, case_key)
  where lead_of_parcel in (select id from sold_leads)
    or lead_of_case in (select id from sold_leads)
    or (sale_names.parcel_key is null and sold_cases.case_key is not null)
),

-- Sales: the next one of a parcel or case. A run that passes midnight reads pages of the day after its own
auction_leads as (
  select
    uuid_of('sheriff_sale_auction|' || upcoming.county_fips || '|' || coalesce(upcoming.parcel_key, regexp_replace(upper(upcoming.case_number), '[^A-Z0-9]', '', 'g'))) as lead_id,
    upcoming.*,
    debt_of_sale.signal_id as debt_id,
    debt_of_sale.source_url as debt_url,
    debt_of_sale.match_basis as debt_match_basis,
    coalesce(debt_of_sale.owner_location, 'unknown') as owner_location,
    date_diff('day', as_of.as_of, upcoming.sale_date) as days_to_sale,
    greatest(0, date_diff('day', cast(upcoming.last_seen as date), as_of.as_of)) as age
  from upcoming
  cross join as_of
  cross join terms
  left join debt_of_sale on debt_of_sale.auction_id = upcoming.id
  where upcoming.address_key is not null
    and upcoming.id not in (select id from sold_sales)
    and age <= lead_max_age_days
  qualify row_number() over (partition by lead_id order by upcoming.sale_date, upcoming.case_number, upcoming.id) = 1
),

auction_points as (
  select
    auction_leads.*,
    auction_base as base,
    case
      when opening_bid_basis = 'no_minimum_second_sale' then auction_gap_max
      when appraisal_discount_pct is null then 0
      else greatest(0, least(auction_gap_max, cast(round(wide(auction_gap_points_per_pct) * appraisal_discount_pct) as integer)))
    end as equity_gap,
    case
      when days_to_sale <= auction_days_1 then auction_urgency_1
      when days_to_sale <= auction_days_2 then auction_urgency_2
      when days_to_sale <= auction_days_3 then auction_urgency_3
      when days_to_sale <= auction_days_4 then auction_urgency_4
      else auction_urgency_5
    end as urgency,
    case when debt_id is not null then auction_corroboration else 0 end as corroborated,
    case when owner_location in ('in_state', 'out_of_state') then auction_absentee else 0 end as absentee,
    case
      when age <= lead_fresh_days then auction_fresh
      when age <= lead_recent_days then auction_recent
      else auction_old
    end as fresh
  from auction_leads
  cross join terms
)

select
  'sheriff_sale_auction' as lead_type,
  cast(base + equity_gap + urgency + corroborated + absentee + fresh as integer) as lead_score,
  json_object(
    'base', '+' || base || ' points, a sheriff sale is set',
    'equity_gap', '+' || equity_gap || ' points, ' || case
      when opening_bid_basis = 'no_minimum_second_sale' then 'a second sale has no two-thirds minimum, so no percentage applies'
      when appraised_value is null and opening_bid is null then 'neither an appraisal nor an opening bid is known'
      when appraised_value is null then 'the appraisal is unknown'
      when opening_bid is null then 'the opening bid is unknown'
      else 'the opening bid is ' || said(appraisal_discount_pct) || '% below the appraisal: a discount to appraisal, not owner equity, since liens are unknown'
    end,
    'urgency', '+' || urgency || ' points, the sale is in ' || days_to_sale || ' days, on ' || said(sale_date),
    'corroboration', '+' || corroborated || ' points, ' || case
      when debt_id is not null then 'the property is on the county''s tax delinquency list too'
      else 'no tax delinquency of it is known here'
    end,
    'absentee', '+' || absentee || ' points, ' || case owner_location
      when 'in_state' then 'the owner gets mail elsewhere in the state'
      when 'out_of_state' then 'the owner gets mail in another state'
      when 'at_property' then 'the owner gets mail at the property'
      else 'where the owner gets mail is unknown'
    end,
    'freshness', '+' || fresh || ' points, verified ' || case age when 0 then 'today' when 1 then '1 day ago' else age || ' days ago' end
  ) as score_rationale,
  property_address as address,
  source_url,
  auction_type, county, sale_date, property_address, city, appraised_value, opening_bid, plaintiff,
  lead_id as id,
  json_object('base', base, 'equity_gap', equity_gap, 'urgency', urgency, 'corroboration', corroborated, 'absentee', absentee, 'freshness', fresh) as score_parts,
  last_seen as last_verified,
  cast(age as integer) as verified_age_days,
  first_seen,
  auction_points.id as auction_id,
  case when debt_id is null then '[]'::json else to_json([json_object('kind', 'tax_delinquent', 'id', debt_id, 'match_basis', debt_match_basis, 'source_url', debt_url)]) end as corroboration,
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key, owner_location,
  case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref, sale_kind, sale_round, appraisal_discount_pct, deposit,
  source, page_sha256
from auction_points

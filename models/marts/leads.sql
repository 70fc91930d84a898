-- One row per property that qualifies as a lead: a listed delinquency or a sale to come, with a street address and
-- read within the last seven days. Built from public records alone. The rules that time alone can break (seven days,
-- sale date) hold at the data clock here and are applied again when serving. A lead that is sold is left out.

with

as_of as (select as_of from run),

terms as (
  select
    max(assumption_set_id) as assumption_set_id,
    max(value) filter (where key = 'lead_max_age_days')::integer as lead_max_age_days,
    max(value) filter (where key = 'lead_fresh_days')::integer as lead_fresh_days,
    max(value) filter (where key = 'lead_recent_days')::integer as lead_recent_days,
    max(value) filter (where key = 'auction_base')::integer as auction_base,
    max(value) filter (where key = 'auction_gap_max')::integer as auction_gap_max,
    max(value) filter (where key = 'auction_gap_points_per_pct')::decimal(6, 2) as auction_gap_points_per_pct,
    max(value) filter (where key = 'auction_days_1')::integer as auction_days_1,
    max(value) filter (where key = 'auction_days_2')::integer as auction_days_2,
    max(value) filter (where key = 'auction_days_3')::integer as auction_days_3,
    max(value) filter (where key = 'auction_days_4')::integer as auction_days_4,
    max(value) filter (where key = 'auction_urgency_1')::integer as auction_urgency_1,
    max(value) filter (where key = 'auction_urgency_2')::integer as auction_urgency_2,
    max(value) filter (where key = 'auction_urgency_3')::integer as auction_urgency_3,
    max(value) filter (where key = 'auction_urgency_4')::integer as auction_urgency_4,
    max(value) filter (where key = 'auction_urgency_5')::integer as auction_urgency_5,
    max(value) filter (where key = 'auction_corroboration')::integer as auction_corroboration,
    max(value) filter (where key = 'auction_absentee')::integer as auction_absentee,
    max(value) filter (where key = 'auction_fresh')::integer as auction_fresh,
    max(value) filter (where key = 'auction_recent')::integer as auction_recent,
    max(value) filter (where key = 'auction_old')::integer as auction_old,
    max(value) filter (where key = 'tax_base')::integer as tax_base,
    max(value) filter (where key = 'tax_value_max')::integer as tax_value_max,
    max(value) filter (where key = 'tax_value_from_pct')::decimal(6, 2) as tax_value_from_pct,
    max(value) filter (where key = 'tax_value_span_pct')::decimal(6, 2) as tax_value_span_pct,
    max(value) filter (where key = 'tax_amount_max')::integer as tax_amount_max,
    max(value) filter (where key = 'tax_amount_per_point')::decimal(14, 2) as tax_amount_per_point,
    max(value) filter (where key = 'tax_points_per_year')::integer as tax_points_per_year,
    max(value) filter (where key = 'tax_years_max')::integer as tax_years_max,
    max(value) filter (where key = 'tax_absentee_out_of_state')::integer as tax_absentee_out_of_state,
    max(value) filter (where key = 'tax_absentee_in_state')::integer as tax_absentee_in_state,
    max(value) filter (where key = 'tax_corroboration_sale')::integer as tax_corroboration_sale,
    max(value) filter (where key = 'tax_corroboration_listing')::integer as tax_corroboration_listing,
    max(value) filter (where key = 'tax_fresh')::integer as tax_fresh,
    max(value) filter (where key = 'tax_recent')::integer as tax_recent,
    max(value) filter (where key = 'tax_old')::integer as tax_old
  from declared_assumptions
),

listed as (
  select * from signals where signal_state = 'listed'
),

upcoming as (
  select auctions.*
  from auctions
  cross join as_of
  where sale_status = 'scheduled' and sale_date >= as_of.as_of
),

for_sale as (
  select id, listing_url, address_key, zip
  from int_properties
  where listing_status = 'active' and address_key is not null
),

-- Debts and sales of the same parcel, or of exactly the same address. Each join has equalities alone: one that asks for
-- either would compare all debts of a county with all its sales
matched as (
  select
    listed.id as signal_id, listed.source_url as debt_url, listed.owner_location,
    upcoming.id as auction_id, upcoming.source_url as sale_url, upcoming.sale_date,
    listed.parcel_key = upcoming.parcel_key as is_same_parcel
  from listed
  join upcoming on upcoming.county_fips = listed.county_fips and upcoming.parcel_key = listed.parcel_key

  union

  select
    listed.id as signal_id, listed.source_url as debt_url, listed.owner_location,
    upcoming.id as auction_id, upcoming.source_url as sale_url, upcoming.sale_date,
    listed.parcel_key = upcoming.parcel_key as is_same_parcel
  from listed
  join upcoming on upcoming.county_fips = listed.county_fips and upcoming.zip = listed.zip and upcoming.address_key = listed.address_key
),

debt_of_sale as (
  select auction_id, signal_id, debt_url as source_url, owner_location, if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
  from matched
  qualify row_number() over (partition by auction_id order by is_same_parcel desc nulls last, signal_id) = 1
),

sale_of_debt as (
  select signal_id, auction_id, sale_url as source_url, if(is_same_parcel, 'parcel_exact', 'address_exact') as match_basis
  from matched
  qualify row_number() over (partition by signal_id order by is_same_parcel desc nulls last, sale_date, auction_id) = 1
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
),

auction_rows as (
  select
    'sheriff_sale_auction' as lead_type,
    base + equity_gap + urgency + corroborated + absentee + fresh as lead_score,
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
    age as verified_age_days,
    first_seen,
    auction_points.id as auction_id,
    case when debt_id is null then '[]'::json else to_json([json_object('kind', 'tax_delinquent', 'id', debt_id, 'match_basis', debt_match_basis, 'source_url', debt_url)]) end as corroboration,
    county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key, owner_location,
    case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref, sale_kind, sale_round, appraisal_discount_pct, deposit,
    source, page_sha256
  from auction_points
),

-- Delinquencies
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
),

tax_rows as (
  select
    'tax_delinquent' as lead_type,
    base + by_amount + by_years + absentee_owner + corroborated + fresh as lead_score,
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
    age as verified_age_days,
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
),

together as (
  select * from auction_rows
  union all by name
  select * from tax_rows
)

select
  lead_type,
  cast(lead_score as integer) as lead_score,
  score_rationale, address, source_url,
  auction_type, county, sale_date, property_address, city, appraised_value, opening_bid, plaintiff,
  id, score_parts,
  case
    when verified_age_days <= lead_fresh_days then 'within_1_day'
    when verified_age_days <= lead_recent_days then 'within_3_days'
    else 'within_7_days'
  end as freshness,
  last_verified,
  cast(verified_age_days as integer) as verified_age_days,
  first_seen, signal_id, auction_id, corroboration,
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key, owner_location,
  owner_name, amount, years_delinquent, certified_year, county_value, amount_to_value_pct, property_class, mail_street, mail_city, mail_state, mail_zip,
  case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref, sale_kind, sale_round, appraisal_discount_pct, deposit,
  source, page_sha256, assumption_set_id
from together
cross join terms

-- One row per upcoming sale that qualifies as a lead, scored: the next sale of a parcel or case, with a street
-- address, read within the last seven days, of a property that is not sold.
-- Key: id

with

-- A sale is identified by its parcel, or by its case if it has no parcel
sales as (
  select
    *,
    lead_id_of('sheriff_sale_auction', county_fips, parcel_key) as parcel_lead_id,
    lead_id_of('sheriff_sale_auction', county_fips, letters_and_digits(case_number)) as case_lead_id
  from auctions
),

-- One debt per sale; a debt of the same parcel wins
debts as (
  select auction_id, signal_id, owner_location
  from int_debts_of_sales
  qualify row_number() over (
    partition by auction_id
    order by is_same_parcel desc nulls last, signal_id
  ) = 1
),

-- The next sale of each parcel or case
leads as (
  select
    coalesce(sales.parcel_lead_id, sales.case_lead_id) as lead_id,
    sales.*,
    debts.signal_id as debt_id,
    stack.citations,
    stack.other_kinds,
    stack.further_kinds,
    stack.stacked_points,
    stack.stacked_text,
    coalesce(debts.owner_location, 'unknown') as owner_location,
    classes.property_class,
    coalesce(classes.property_kind, 'unknown') as property_kind,
    case
      when classes.property_kind is not null then classes.property_kind_basis
      when sales.parcel_key is null then 'no_parcel_number'
      else 'not_published_by_county'
    end as property_kind_basis,
    date_diff('day', run.as_of, sales.sale_date) as days_to_sale,
    days_since(sales.last_seen, run.as_of) as age
  from sales
  cross join run
  cross join terms
  left join debts on debts.auction_id = sales.id
  left join int_stacked_distress as stack on stack.record_id = sales.id
  left join int_sale_classes as classes
    on classes.county_fips = sales.county_fips
    and classes.parcel_key = sales.parcel_key
  where is_upcoming(sales.sale_status, sales.sale_date, run.as_of)
    and sales.address_key is not null
    and sales.id not in (select record_id from int_sold_records)
    and age <= lead_max_age_days
  qualify row_number() over (
    partition by lead_id
    order by sales.sale_date, sales.case_number, sales.id
  ) = 1
),

scores as (
  select
    leads.*,
    auction_base as base,
    case
      when opening_bid_basis = 'no_minimum_second_sale' then auction_gap_no_minimum
      when appraisal_discount_pct is null then 0
      else greatest(0, least(
        case
          when opening_bid_mismatch then auction_gap_mismatch_max
          when sale_round > 1 then auction_gap_second_max
          else auction_gap_max
        end,
        cast(round(wide(auction_gap_points_per_pct) * greatest(appraisal_discount_pct, 0)) as integer)
      ))
    end as equity_gap,
    case
      when days_to_sale <= auction_days_1 then auction_urgency_1
      when days_to_sale <= auction_days_2 then auction_urgency_2
      when days_to_sale <= auction_days_3 then auction_urgency_3
      when days_to_sale <= auction_days_4 then auction_urgency_4
      else auction_urgency_5
    end as urgency,
    case when debt_id is not null then auction_corroboration else 0 end as corroboration_points,
    case when owner_location in ('in_state', 'out_of_state') then auction_absentee else 0 end as absentee,
    by_age(age, lead_fresh_days, lead_recent_days, auction_fresh, auction_recent, auction_old) as freshness,
    assumption('lead_kind_' || property_kind)::integer as kind_points,
    letter_text(
      days_to_sale, auction_days_1, auction_days_2, auction_urgency_1, auction_urgency_2, auction_urgency_3
    ) as letter
  from leads
  cross join terms
),

totals as (
  select
    *,
    base + equity_gap + urgency + corroboration_points + absentee + freshness + kind_points as other_points,
    points_up_to_highest(stacked_points, other_points) as stacked_distress
  from scores
)

select
  'sheriff_sale_auction' as lead_type,
  cast(other_points + stacked_distress as integer) as lead_score,
  json_object(
    'base', points_text(base, sale_text(auction_type)),
    'equity_gap', points_text(equity_gap, case
      when opening_bid_basis = 'no_minimum_second_sale'
        then 'a second sale has no two-thirds minimum, so there is no gap to measure'
      when appraised_value is null and auction_type <> 'sheriff_sale'
        then 'the page prints no appraisal for this sale, so there is no gap to measure'
      when appraised_value is null and opening_bid is null
        then 'neither an appraisal nor an opening bid is known'
      when appraised_value is null
        then 'the appraisal is unknown'
      when opening_bid is null
        then 'the opening bid is unknown'
      when opening_bid > appraised_value
        then 'the opening bid is above the appraisal, so one of the two is in doubt'
      when opening_bid_mismatch
        then 'the opening bid is not the two thirds of the appraisal that the law sets, so one of the two is in doubt'
      else 'the opening bid is ' || as_text(appraisal_discount_pct)
        || '% below the appraisal: a discount to appraisal, not owner equity, since liens are unknown'
    end),
    'urgency', points_text(
      urgency,
      days_to_sale_text(days_to_sale) || ', on ' || as_text(sale_date) || letter
    ),
    'corroboration', points_text(corroboration_points, case
      when debt_id is not null then 'the property is on the county''s tax delinquency list too'
      else 'no tax delinquency of it is known here'
    end),
    'absentee', points_text(absentee, owner_location_text(owner_location)),
    'freshness', points_text(freshness, verified_text(age)),
    'property_kind', points_text(kind_points, property_kind_text(property_kind, property_kind_basis)),
    'stacked_distress', points_text(stacked_distress, stacked_reason(stacked_text, stacked_points, stacked_distress))
  ) as score_rationale,
  property_address as address,
  source_url,

  -- Sale
  auction_type, county, sale_date, property_address, city, appraised_value, opening_bid, plaintiff,

  -- Lead
  lead_id as id,
  json_object(
    'base', base,
    'equity_gap', equity_gap,
    'urgency', urgency,
    'corroboration', corroboration_points,
    'absentee', absentee,
    'freshness', freshness,
    'property_kind', kind_points,
    'stacked_distress', stacked_distress
  ) as score_parts,
  last_seen as last_verified,
  cast(age as integer) as verified_age_days,
  first_seen,
  totals.id as auction_id,
  cited_records(citations, null) as corroboration,
  independent_signals(further_kinds) as signals_count,
  kinds_in_force(auction_type, other_kinds) as signal_kinds,

  -- Property
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key,
  owner_location, property_class, property_kind, property_kind_basis,

  -- Case
  case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref,
  sale_kind, sale_round, appraisal_discount_pct, deposit,

  source, page_sha256, latitude, longitude, geo_basis
from totals

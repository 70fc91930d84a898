-- One row per upcoming sale that qualifies as a lead, scored: the next sale of a parcel or case, with a street
-- address, read within the last seven days, of a property that is not sold.
-- Key: id

with

-- A sale is identified by its parcel, or by its case if it has no parcel
sales as (
  select
    *,
    coalesce(
      lead_id_of('sheriff_sale_auction', county_fips, parcel_key),
      lead_id_of('sheriff_sale_auction', county_fips, letters_and_digits(case_number))
    ) as lead_id
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
inputs as (
  select
    sales.* exclude (id, lead_id),
    sales.lead_id as id,
    sales.id as auction_id,
    debts.signal_id as debt_id,
    stack.citations,
    stack.other_kinds,
    coalesce(stack.further_kinds, 0) as further_kinds,
    coalesce(stack.stacked_points, 0) as stacked_points,
    stack.stacked_text,
    coalesce(debts.owner_location, 'unknown') as owner_location,
    classes.property_class,
    coalesce(classes.property_kind, 'unknown') as property_kind,
    case
      when classes.property_kind is not null then classes.property_kind_basis
      when sales.parcel_key is null then 'no_parcel_number'
      else 'not_published_by_county'
    end as property_kind_basis,
    age_in_days(run.as_of, sales.sale_date) as days_to_sale,
    days_since(sales.last_seen, run.as_of) as verified_age_days,
    terms.*
  from sales
  cross join run
  left join debts on debts.auction_id = sales.id
  left join int_stacked_distress as stack on stack.record_id = sales.id
  left join int_sale_classes as classes
    on classes.county_fips = sales.county_fips
    and classes.parcel_key = sales.parcel_key
  cross join terms
  where is_upcoming(sales.sale_status, sales.sale_date, run.as_of)
    and sales.address_key is not null
    and sales.id not in (select record_id from int_sold_records)
    and verified_age_days <= lead_max_age_days
  qualify row_number() over (
    partition by sales.lead_id
    order by sales.sale_date, sales.case_number, sales.id
  ) = 1
),

parts as (
  select
    *,
    auction_base as part_base,
    case
      when opening_bid_mismatch then auction_gap_mismatch_max
      when sale_round > 1 then auction_gap_second_max
      else auction_gap_max
    end as gap_max,
    case
      when opening_bid_basis = 'no_minimum_second_sale' then auction_gap_no_minimum
      when appraisal_discount_pct is null or appraisal_discount_pct <= 0 then 0
      else whole_up_to(gap_max, wide(auction_gap_points_per_pct) * appraisal_discount_pct)
    end as part_equity_gap,
    case
      when days_to_sale <= auction_days_1 then auction_urgency_1
      when days_to_sale <= auction_days_2 then auction_urgency_2
      when days_to_sale <= auction_days_3 then auction_urgency_3
      when days_to_sale <= auction_days_4 then auction_urgency_4
      else auction_urgency_5
    end as part_urgency,
    case when debt_id is not null then auction_corroboration else 0 end as part_corroboration,
    case when owner_location in ('in_state', 'out_of_state') then auction_absentee else 0 end as part_absentee,
    by_age(verified_age_days, lead_fresh_days, lead_recent_days, auction_fresh, auction_recent, auction_old)
      as part_freshness,
    by_kind(
      property_kind, lead_kind_vacant_lot, lead_kind_one_family, lead_kind_two_to_four, lead_kind_five_up,
      lead_kind_other, lead_kind_unknown
    ) as part_property_kind
  from inputs
),

scores as (
  select
    *,
    part_base + part_equity_gap + part_urgency + part_corroboration + part_absentee + part_freshness
      + part_property_kind as other_points,
    points_up_to_highest(stacked_points, other_points) as part_stacked_distress,
    other_points + part_stacked_distress as lead_score
  from parts
)

select
  'sheriff_sale_auction' as lead_type,
  lead_score,
  json_object(
    'base', points_text(part_base, sale_text(auction_type)),
    'equity_gap', points_text(part_equity_gap, case
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
      part_urgency,
      days_to_sale_text(days_to_sale) || ', on ' || as_text(sale_date) || letter_text(
        days_to_sale, auction_days_1, auction_days_2, auction_urgency_1, auction_urgency_2, auction_urgency_3
      )
    ),
    'corroboration', points_text(part_corroboration, case
      when debt_id is not null then 'the property is on the county''s tax delinquency list too'
      else 'no tax delinquency of it is known here'
    end),
    'absentee', points_text(part_absentee, owner_location_text(owner_location)),
    'freshness', points_text(part_freshness, verified_text(verified_age_days)),
    'property_kind', points_text(part_property_kind, property_kind_text(property_kind, property_kind_basis)),
    'stacked_distress', points_text(
      part_stacked_distress,
      stacked_reason(stacked_text, stacked_points, part_stacked_distress)
    )
  ) as score_rationale,
  property_address as address,
  source_url,

  -- Sale
  auction_type, county, sale_date, property_address, city, appraised_value, opening_bid, plaintiff,

  -- Lead
  id,
  json_object(
    'base', part_base,
    'equity_gap', part_equity_gap,
    'urgency', part_urgency,
    'corroboration', part_corroboration,
    'absentee', part_absentee,
    'freshness', part_freshness,
    'property_kind', part_property_kind,
    'stacked_distress', part_stacked_distress
  ) as score_parts,
  last_seen as last_verified,
  verified_age_days,
  first_seen,
  auction_id,
  cited_records(citations, null) as corroboration,
  independent_signals(further_kinds) as signals_count,
  kinds_in_force(auction_type, other_kinds) as signal_kinds,

  -- Property
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key,
  owner_location, property_class, property_kind, property_kind_basis,

  -- Case
  case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref,
  sale_kind, sale_round, appraisal_discount_pct, deposit,

  source, page_sha256, latitude, longitude, geo_basis,

  -- Inputs of the score, and its parts
  debt_id, days_to_sale, stacked_points,
  part_base, part_equity_gap, part_urgency, part_corroboration, part_absentee, part_freshness, part_property_kind,
  part_stacked_distress
from scores

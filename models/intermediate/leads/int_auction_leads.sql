-- One row per upcoming sale that qualifies as a lead, scored: the next sale of a parcel or case, with a street
-- address, read within the last seven days, of a property that is not sold.
-- Key: id
-- Not null: stacked_points, lead_score

with

sales as (
  select
    *,
    sale_lead_id_of(county_fips, parcel_key, case_number) as lead_id,
    independent_kind_of(auction_type, sale_kind) = 'unpaid_tax' as is_for_taxes
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

-- Unpaid taxes on other lists. A lien and a delinquency are one debt
taxes as (
  select
    pairs.record_id,
    total(greatest(
      sum(signals.amount) filter (where pairs.kind = 'tax_delinquent'),
      sum(signals.amount) filter (where pairs.kind = 'tax_lien')
    )) as unpaid_taxes
  from int_record_pairs as pairs
  join signals on signals.id = pairs.other_id
  group by pairs.record_id
),

-- The next sale of each parcel or case
inputs as (
  select
    sales.* exclude (id, lead_id),
    sales.lead_id as id,
    sales.id as auction_id,
    debts.signal_id as debt_id,
    taxes.unpaid_taxes, stack.citations, stack.other_kinds,
    coalesce(stack.further_kinds, 0) as further_kinds,
    coalesce(stack.stacked_points, 0) as stacked_points,
    stack.stacked_text,
    coalesce(debts.owner_location, 'unknown') as owner_location,
    parcels.county_value,
    parcels.property_class,
    coalesce(parcels.property_kind, 'unknown') as property_kind,
    case
      when parcels.property_kind is not null then parcels.property_kind_basis
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
  left join taxes on taxes.record_id = sales.id
  left join int_sale_parcels as parcels
    on parcels.county_fips = sales.county_fips
    and parcels.parcel_key = sales.parcel_key
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
      when is_for_taxes then coalesce(opening_bid, unpaid_taxes)
      when unpaid_taxes is null then judgment_amount
      else total(judgment_amount + unpaid_taxes)
    end as known_debt,
    case
      when appraised_value is not null then appraised_value
      when county_value is not null then county_value
      else assessed_value
    end as property_value,
    case
      when known_debt is not null and property_value is not null
        then percentage(greatest(0, property_value - known_debt), property_value)
    end as equity_pct,
    case
      when known_debt is null then 'not_published'
      when is_for_taxes then if(opening_bid is not null, 'minimum_bid', 'tax_list')
      else if(unpaid_taxes is null, 'judgment', 'judgment_and_taxes')
    end as debt_basis,
    case
      when appraised_value is not null then 'appraisal'
      when county_value is not null then 'county_roll'
      else if(assessed_value is not null, 'assessed_on_page', 'not_published')
    end as value_basis,
    case
      when equity_pct is not null then points(equity_pct, 0, auction_equity_full_pct, auction_equity_max)
      when is_for_taxes then auction_equity_unknown_taxes
      else auction_equity_unknown
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
    'equity_gap', points_text(
      part_equity_gap,
      equity_text(known_debt, property_value, equity_pct, debt_basis, value_basis, is_for_taxes)
    ),
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
  verified_age_days, first_seen, auction_id,
  cited_records(citations, null) as corroboration,
  independent_signals(further_kinds) as signals_count,
  kinds_in_force(auction_type, other_kinds) as signal_kinds,

  -- Property
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key,
  owner_location, property_class, property_kind, property_kind_basis,

  -- Case
  case_number, defendant, opening_bid_basis, opening_bid_derived, opening_bid_mismatch, statute_ref,
  sale_kind, sale_round, deposit,

  -- Equity
  judgment_amount, unpaid_taxes, known_debt, property_value, value_basis, equity_pct,

  source, page_sha256, latitude, longitude, geo_basis,

  -- Inputs of the score, and its parts
  debt_id, is_for_taxes, days_to_sale, stacked_points,
  part_base, part_equity_gap, part_urgency, part_corroboration, part_absentee, part_freshness, part_property_kind,
  part_stacked_distress
from scores

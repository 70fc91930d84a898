-- One row per listed tax delinquency that qualifies as a lead, scored: with a street address, read within the last
-- seven days, of a property that is not sold.
-- Key: id
-- Not null: stacked_points, lead_score, amount

with

-- One listing per debt, matched as for deals; one at exactly its address wins
listings as (
  select matches.record_id as signal_id, properties.id, properties.listing_url, matches.match_basis
  from int_distress_matches as matches
  join int_properties as properties on properties.id = matches.id
  where matches.kind = 'tax_delinquent'
    and matches.is_exact
    and properties.listing_status = 'active'
  qualify row_number() over (
    partition by matches.record_id
    order by matches.match_basis, properties.id
  ) = 1
),

-- One sale per debt: of the same parcel first, then the next
sales as (
  select signal_id, auction_id, auction_type
  from int_debts_of_sales
  qualify row_number() over (
    partition by signal_id
    order by is_same_parcel desc nulls last, sale_date, auction_id
  ) = 1
),

inputs as (
  select
    signals.* exclude (id),
    lead_id_of('tax_delinquent', signals.county_fips, signals.parcel_key) as id,
    signals.id as signal_id,
    sales.auction_id as sale_id,
    sales.auction_type as type_of_sale,
    listings.id as deal_id,
    listings.listing_url as deal_url,
    listings.match_basis as deal_match_basis,
    stack.citations,
    stack.other_kinds,
    coalesce(stack.further_kinds, 0) as further_kinds,
    coalesce(stack.stacked_points, 0) as stacked_points,
    stack.stacked_text,
    days_since(signals.last_seen, run.as_of) as verified_age_days,
    terms.*
  from signals
  cross join run
  left join sales on sales.signal_id = signals.id
  left join listings on listings.signal_id = signals.id
  left join int_stacked_distress as stack on stack.record_id = signals.id
  cross join terms
  where signals.signal_type = 'tax_delinquent'
    and signals.signal_state = 'listed'
    and signals.has_address
    and signals.id not in (select record_id from int_sold_records)
    and signals.amount > 0
    and verified_age_days <= lead_max_age_days
),

parts as (
  select
    *,
    tax_base as part_base,
    case
      when amount_to_value_pct is not null
        then least(
          points(amount_to_value_pct, tax_value_from_pct, tax_value_span_pct, tax_value_max),
          points(100 - amount_to_value_pct, 0, tax_equity_span_pct, tax_value_max)
        )
      else least(tax_amount_max, whole_quotient(amount, tax_amount_per_point))
    end as part_amount_to_value,
    case
      when months_delinquent is null then 0
      else least(tax_years_max, points_of_months(months_delinquent, tax_points_per_year, months_per_year))
    end as part_years_delinquent,
    case owner_location
      when 'out_of_state' then tax_absentee_out_of_state
      when 'in_state' then tax_absentee_in_state
      else 0
    end as part_absentee_owner,
    case
      when sale_id is not null then tax_corroboration_sale
      when deal_id is not null then tax_corroboration_listing
      else 0
    end as part_corroboration,
    by_age(verified_age_days, lead_fresh_days, lead_recent_days, tax_fresh, tax_recent, tax_old) as part_freshness,
    by_kind(
      property_kind, lead_kind_vacant_lot, lead_kind_one_family, lead_kind_two_to_four, lead_kind_five_up,
      lead_kind_other, lead_kind_unknown
    ) as part_property_kind
  from inputs
),

scores as (
  select
    *,
    part_base + part_amount_to_value + part_years_delinquent + part_absentee_owner + part_corroboration
      + part_freshness + part_property_kind as other_points,
    points_up_to_highest(stacked_points, other_points) as part_stacked_distress,
    other_points + part_stacked_distress as lead_score
  from parts
)

select
  'tax_delinquent' as lead_type,
  lead_score,
  json_object(
    'base', points_text(part_base, 'the parcel is on the county''s tax delinquency list'),
    'amount_to_value', points_text(part_amount_to_value, dollars(amount) || ' is owed, ' || case
      when amount_to_value_pct >= 100 then 'which leaves nothing of the county''s value'
      when county_value is not null then as_text(amount_to_value_pct) || '% of the county''s value'
      else 'and the county''s value is unknown'
    end),
    'years_delinquent', points_text(part_years_delinquent, case
      when years_delinquent is null
        then 'the years of delinquency are unknown'
      when years_basis = 'since_certified_year'
        then months_text(months_delinquent) || ' since the delinquency was certified'
      else years_delinquent || ' years delinquent'
    end),
    'absentee_owner', points_text(part_absentee_owner, owner_location_text(owner_location)),
    'corroboration', points_text(part_corroboration, case
      when sale_id is not null then 'a ' || replace(type_of_sale, '_', ' ') || ' of it is set'
      when deal_id is not null then 'it is listed for sale'
      else 'no sheriff sale or listing of it is known here'
    end),
    'freshness', points_text(part_freshness, verified_text(verified_age_days)),
    'property_kind', points_text(part_property_kind, property_kind_text(property_kind, property_kind_basis)),
    'stacked_distress', points_text(
      part_stacked_distress,
      stacked_reason(stacked_text, stacked_points, part_stacked_distress)
    )
  ) as score_rationale,
  address, source_url, county, city,

  -- Lead
  id,
  json_object(
    'base', part_base,
    'amount_to_value', part_amount_to_value,
    'years_delinquent', part_years_delinquent,
    'absentee_owner', part_absentee_owner,
    'corroboration', part_corroboration,
    'freshness', part_freshness,
    'property_kind', part_property_kind,
    'stacked_distress', part_stacked_distress
  ) as score_parts,
  last_seen as last_verified,
  verified_age_days, first_seen, signal_id,
  cited_records(citations, case when deal_id is not null then json_object(
    'kind', 'listing',
    'id', deal_id,
    'match_basis', deal_match_basis,
    'source_url', deal_url,
    'counts_as', null
  ) end) as corroboration,
  independent_signals(further_kinds) as signals_count,
  kinds_in_force('tax_delinquent', other_kinds) as signal_kinds,

  -- Property
  county_fips, state, zip, address_key, street_key, house_low, house_high, unit_key, parcel_id, parcel_key,
  owner_location, owner_name,

  -- Debt
  amount, years_delinquent, months_delinquent, certified_year, county_value, amount_to_value_pct,
  property_class, property_kind, property_kind_basis,
  mail_street, mail_city, mail_state, mail_zip,

  source, page_sha256, latitude, longitude, geo_basis,

  -- Inputs of the score, and its parts
  sale_id, deal_id, stacked_points,
  part_base, part_amount_to_value, part_years_delinquent, part_absentee_owner, part_corroboration, part_freshness,
  part_property_kind, part_stacked_distress
from scores

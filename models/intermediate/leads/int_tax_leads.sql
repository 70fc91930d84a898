-- One row per listed tax delinquency that qualifies as a lead, scored: with a street address, read within the last
-- seven days, of a property that is not sold.
-- Key: id

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

leads as (
  select
    lead_id_of('tax_delinquent', signals.county_fips, signals.parcel_key) as lead_id,
    signals.*,
    sales.auction_id as sale_id,
    sales.auction_type as type_of_sale,
    listings.id as deal_id,
    listings.listing_url as deal_url,
    listings.match_basis as deal_match_basis,
    stack.citations,
    stack.other_kinds,
    stack.further_kinds,
    stack.stacked_points,
    stack.stacked_text,
    days_since(signals.last_seen, run.as_of) as age
  from signals
  cross join run
  cross join terms
  left join sales on sales.signal_id = signals.id
  left join listings on listings.signal_id = signals.id
  left join int_stacked_distress as stack on stack.record_id = signals.id
  where signals.signal_type = 'tax_delinquent'
    and signals.signal_state = 'listed'
    and signals.has_address
    and signals.id not in (select record_id from int_sold_records)
    and signals.amount > 0
    and age <= lead_max_age_days
),

scores as (
  select
    leads.*,
    tax_base as base,
    case
      when county_value is not null
        then points(amount_to_value_pct, tax_value_from_pct, tax_value_span_pct, tax_value_max)
      else least(tax_amount_max, whole_quotient(amount, tax_amount_per_point))
    end as amount_to_value,
    case
      when months_delinquent is null then 0
      else least(tax_years_max, points_of_months(months_delinquent, tax_points_per_year, months_per_year))
    end as years_points,
    case owner_location
      when 'out_of_state' then tax_absentee_out_of_state
      when 'in_state' then tax_absentee_in_state
      else 0
    end as absentee_owner,
    case
      when sale_id is not null then tax_corroboration_sale
      when deal_id is not null then tax_corroboration_listing
      else 0
    end as corroboration_points,
    by_age(age, lead_fresh_days, lead_recent_days, tax_fresh, tax_recent, tax_old) as freshness,
    assumption('lead_kind_' || property_kind)::integer as kind_points
  from leads
  cross join terms
),

totals as (
  select
    *,
    base + amount_to_value + years_points + absentee_owner + corroboration_points + freshness + kind_points
      as other_points,
    points_up_to_highest(stacked_points, other_points) as stacked_distress
  from scores
)

select
  'tax_delinquent' as lead_type,
  cast(other_points + stacked_distress as integer) as lead_score,
  json_object(
    'base', points_text(base, 'the parcel is on the county''s tax delinquency list'),
    'amount_to_value', points_text(amount_to_value, dollars(amount) || ' is owed, ' || case
      when county_value is not null then as_text(amount_to_value_pct) || '% of the county''s value'
      else 'and the county''s value is unknown'
    end),
    'years_delinquent', points_text(years_points, case
      when years_delinquent is null
        then 'the years of delinquency are unknown'
      when years_basis = 'since_certified_year'
        then months_text(months_delinquent) || ' since the delinquency was certified'
      else years_delinquent || ' years delinquent'
    end),
    'absentee_owner', points_text(absentee_owner, owner_location_text(owner_location)),
    'corroboration', points_text(corroboration_points, case
      when sale_id is not null then 'a ' || replace(type_of_sale, '_', ' ') || ' of it is set'
      when deal_id is not null then 'it is listed for sale'
      else 'no sheriff sale or listing of it is known here'
    end),
    'freshness', points_text(freshness, verified_text(age)),
    'property_kind', points_text(kind_points, property_kind_text(property_kind, property_kind_basis)),
    'stacked_distress', points_text(stacked_distress, stacked_reason(stacked_text, stacked_points, stacked_distress))
  ) as score_rationale,
  address, source_url, county, city,

  -- Lead
  lead_id as id,
  json_object(
    'base', base,
    'amount_to_value', amount_to_value,
    'years_delinquent', years_points,
    'absentee_owner', absentee_owner,
    'corroboration', corroboration_points,
    'freshness', freshness,
    'property_kind', kind_points,
    'stacked_distress', stacked_distress
  ) as score_parts,
  last_seen as last_verified,
  cast(age as integer) as verified_age_days,
  first_seen,
  totals.id as signal_id,
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

  source, page_sha256, latitude, longitude, geo_basis
from totals

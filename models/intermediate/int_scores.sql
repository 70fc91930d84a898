-- One row per property: motivation, distress, deal score and confidence, all from figures of the published record.

with

terms as (
  select
    assumption('motivation_points_per_cut_pct')::decimal(6, 2) as points_per_cut_pct,
    assumption('motivation_cut_max')::integer as cut_max,
    assumption('motivation_days_max')::integer as days_max,
    assumption('motivation_days_full')::integer as days_full,
    assumption('distress_tax')::integer as distress_tax,
    assumption('distress_tax_points_per_pct')::decimal(6, 2) as distress_tax_points_per_pct,
    assumption('distress_tax_amount_max')::integer as distress_tax_amount_max,
    assumption('distress_sale')::integer as distress_sale,
    assumption('distress_sale_soon')::integer as distress_sale_soon,
    assumption('distress_sale_soon_days')::integer as distress_sale_soon_days,
    assumption('distress_max')::integer as distress_max,
    assumption('score_yield_weight')::integer as yield_weight,
    assumption('score_yield_from_pct')::decimal(6, 2) as yield_from_pct,
    assumption('score_yield_span_pct')::decimal(6, 2) as yield_span_pct,
    assumption('score_coverage_weight')::integer as coverage_weight,
    assumption('score_coverage_from')::decimal(6, 2) as coverage_from,
    assumption('score_coverage_span')::decimal(6, 2) as coverage_span,
    assumption('score_motivation_weight')::integer as motivation_weight,
    assumption('score_distress_weight')::integer as distress_weight,
    assumption('confidence_price_fresh')::decimal(4, 2) as price_fresh,
    assumption('confidence_price_recent')::decimal(4, 2) as price_recent,
    assumption('confidence_price_old')::decimal(4, 2) as price_old,
    assumption('confidence_fresh_days')::integer as fresh_days,
    assumption('confidence_recent_days')::integer as recent_days,
    assumption('confidence_units')::decimal(4, 2) as units_known,
    assumption('confidence_rent_zip')::decimal(4, 2) as rent_zip,
    assumption('confidence_rent_metro')::decimal(4, 2) as rent_metro,
    assumption('confidence_noi_stated')::decimal(4, 2) as noi_stated,
    assumption('confidence_noi_derived')::decimal(4, 2) as noi_derived,
    assumption('confidence_noi_underwritten')::decimal(4, 2) as noi_underwritten,
    assumption('confidence_gap_small')::decimal(4, 2) as gap_small,
    assumption('confidence_gap_medium')::decimal(4, 2) as gap_medium,
    assumption('confidence_gap_none')::decimal(4, 2) as gap_none,
    assumption('confidence_gap_small_points')::decimal(6, 2) as gap_small_points,
    assumption('confidence_gap_medium_points')::decimal(6, 2) as gap_medium_points,
    assumption('confidence_reliable')::decimal(4, 2) as reliable,
    assumption('confidence_reliability_unknown')::decimal(4, 2) as reliability_unknown,
    assumption('confidence_year_built')::decimal(4, 2) as year_known
),

-- Motivation and distress run from 0 to 100
scales as (select 100 as full_score),

inputs as (
  select
    underwriting.*,
    rents.rent_basis,
    rents.rent_outdated_reason,
    properties.year_built,
    properties.price_reduction_pct,
    properties.days_on_feed,
    days_since(properties.last_verified, properties.as_of) as price_age,
    distress.tax_records,
    distress.sale_records,
    distress.sale_in_days,
    percentage(distress.tax_amount, underwriting.list_price) as tax_to_price_pct
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
  join int_market_rents as rents on rents.id = underwriting.id
  join int_distress as distress on distress.id = underwriting.id
),

motivation as (
  select
    inputs.*,
    cast(least(
      cut_max,
      round(wide(points_per_cut_pct) * coalesce(price_reduction_pct, 0))
    ) as integer) as motivation_price_cut,
    cast(least(
      days_max,
      whole_quotient(days_max * days_on_feed, days_full)
    ) as integer) as motivation_days
  from inputs
  cross join terms
),

distress as (
  select
    motivation.*,
    case when tax_records > 0 then distress_tax + least(
      distress_tax_amount_max,
      round(wide(distress_tax_points_per_pct) * coalesce(tax_to_price_pct, 0))
    ) else 0 end as distress_of_taxes,
    case
      when sale_records = 0 then 0
      when sale_in_days <= distress_sale_soon_days then distress_sale + distress_sale_soon
      else distress_sale
    end as distress_of_sales,
    cast(least(distress_max, distress_of_taxes + distress_of_sales) as integer) as distress_score
  from motivation
  cross join terms
),

deal_scores as (
  select
    distress.*,
    motivation_price_cut + motivation_days as motivation_score,
    coalesce(points(cap_scoring_pct, yield_from_pct, yield_span_pct, yield_weight), 0) as deal_score_yield,
    coalesce(points(coverage_scoring, coverage_from, coverage_span, coverage_weight), 0) as deal_score_coverage,
    points(motivation_price_cut + motivation_days, 0, full_score, motivation_weight) as deal_score_motivation,
    points(distress_score, 0, full_score, distress_weight) as deal_score_distress
  from distress
  cross join terms
  cross join scales
),

confidence as (
  select
    deal_scores.*,
    case
      when list_price is null then 0
      else by_age(price_age, fresh_days, recent_days, price_fresh, price_recent, price_old)
    end::decimal(4, 2) as confidence_of_price,
    case when units is not null then units_known else 0 end::decimal(4, 2) as confidence_of_units,
    case
      when underwrite_reliability <> 'ok' or rent_outdated_reason is not null then 0
      when rent_basis in ('zip', 'zip_lowest_of_several') then rent_zip
      else rent_metro
    end::decimal(4, 2) as confidence_of_rent,
    case noi_source
      when 'stated' then noi_stated
      when 'derived_from_advertised_cap' then noi_derived
      when 'underwritten' then terms.noi_underwritten
      else 0
    end::decimal(4, 2) as confidence_of_noi,
    case
      when underwrite_reliability <> 'ok' then 0
      when cap_gap_pct is null then gap_none
      when abs(cap_gap_pct) <= gap_small_points then gap_small
      when abs(cap_gap_pct) <= gap_medium_points then gap_medium
      else 0
    end::decimal(4, 2) as confidence_of_agreement,
    case underwrite_reliability
      when 'ok' then reliable
      when 'unknown' then reliability_unknown
      else 0
    end::decimal(4, 2) as confidence_of_reliability,
    case when year_built is not null then year_known else 0 end::decimal(4, 2) as confidence_of_year
  from deal_scores
  cross join terms
)

select
  id,

  -- Motivation and distress
  cast(motivation_score as integer) as motivation_score,
  motivation_price_cut,
  motivation_days,
  distress_score,

  -- Deal score
  cast(deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress as integer) as deal_score,
  deal_score_yield,
  deal_score_coverage,
  deal_score_motivation,
  deal_score_distress,

  -- Confidence
  rounded(
    confidence_of_price + confidence_of_units + confidence_of_rent + confidence_of_noi
    + confidence_of_agreement + confidence_of_reliability + confidence_of_year
  ) as confidence_score,
  json_object(
    'price_verified', as_text(confidence_of_price),
    'units_known', as_text(confidence_of_units),
    'rent_proxy', as_text(confidence_of_rent),
    'noi_source', as_text(confidence_of_noi),
    'agreement', as_text(confidence_of_agreement),
    'reliability', as_text(confidence_of_reliability),
    'year_built', as_text(confidence_of_year)
  ) as confidence_parts,
  tax_to_price_pct
from confidence

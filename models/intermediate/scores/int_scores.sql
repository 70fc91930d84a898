-- One row per property: motivation, distress and deal score, all from figures of the published record.

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
    assumption('score_distress_weight')::integer as distress_weight
),

-- Motivation and distress range from 0 to 100
scales as (select 100 as full_score),

inputs as (
  select
    underwriting.id,
    condition.yield_on_cost_pct,
    condition.score_share_pct,
    stressed.dscr_stressed,
    properties.price_reduction_pct,
    properties.days_on_feed,
    distress.tax_records,
    distress.sale_records,
    distress.sale_in_days,
    percentage(distress.tax_amount, underwriting.list_price) as tax_to_price_pct
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
  join int_condition as condition on condition.id = underwriting.id
  join int_stressed_coverage as stressed on stressed.id = underwriting.id
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
    coalesce(tapered_points(yield_on_cost_pct, yield_from_pct, yield_span_pct, yield_weight, score_share_pct), 0)
      as deal_score_yield,
    coalesce(tapered_points(dscr_stressed, coverage_from, coverage_span, coverage_weight, score_share_pct), 0)
      as deal_score_coverage,
    points(motivation_price_cut + motivation_days, 0, full_score, motivation_weight) as deal_score_motivation,
    points(distress_score, 0, full_score, distress_weight) as deal_score_distress
  from distress
  cross join terms
  cross join scales
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
  tax_to_price_pct
from deal_scores

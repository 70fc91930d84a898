-- One row per property: motivation, distress and deal score, all from figures of the published record.
-- Key: id

with

inputs as (
  select
    underwriting.id,
    underwriting.list_price,
    condition.yield_on_cost_pct,
    condition.score_share_pct,
    stressed.dscr_stressed,
    properties.price_reduction_pct,
    properties.days_on_feed,
    distress.tax_records,
    distress.tax_amount,
    distress.sale_records,
    distress.sale_in_days,
    terms.*
  from int_underwriting as underwriting
  join int_properties as properties on properties.id = underwriting.id
  join int_condition as condition on condition.id = underwriting.id
  join int_stressed_coverage as stressed on stressed.id = underwriting.id
  join int_distress as distress on distress.id = underwriting.id
  cross join terms
),

scores as (
  select
    *,
    case
      when price_reduction_pct is null then 0
      else whole_up_to(motivation_cut_max, wide(motivation_points_per_cut_pct) * price_reduction_pct)
    end as motivation_price_cut,
    least(motivation_days_max, whole_quotient(motivation_days_max * days_on_feed, motivation_days_full))
      as motivation_days,
    motivation_price_cut + motivation_days as motivation_score,
    percentage(tax_amount, list_price) as tax_to_price_pct,
    case
      when tax_records = 0 then 0
      when tax_to_price_pct is null then distress_tax
      else distress_tax + whole_up_to(distress_tax_amount_max, wide(distress_tax_points_per_pct) * tax_to_price_pct)
    end as distress_of_taxes,
    case
      when sale_records = 0 then 0
      when sale_in_days <= distress_sale_soon_days then distress_sale + distress_sale_soon
      else distress_sale
    end as distress_of_sales,
    least(distress_max, distress_of_taxes + distress_of_sales) as distress_score
  from inputs
),

deal_scores as (
  select
    *,
    case
      when score_share_pct is null then 0
      else tapered_points(
        yield_on_cost_pct, score_yield_from_pct, score_yield_span_pct, score_yield_weight, score_share_pct
      )
    end as deal_score_yield,
    case
      when score_share_pct is null or dscr_stressed is null then 0
      else tapered_points(
        dscr_stressed, score_coverage_from, score_coverage_span, score_coverage_weight, score_share_pct
      )
    end as deal_score_coverage,
    points_of(motivation_score, score_motivation_weight) as deal_score_motivation,
    points_of(distress_score, score_distress_weight) as deal_score_distress,
    deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress as deal_score
  from scores
)

select
  id,

  -- Motivation and distress
  motivation_score,
  motivation_price_cut,
  motivation_days,
  distress_score,

  -- Deal score
  deal_score,
  deal_score_yield,
  deal_score_coverage,
  deal_score_motivation,
  deal_score_distress,
  tax_to_price_pct
from deal_scores;

-- audit motivation_is_sum: motivation_score is the sum of its parts
select * from int_scores
where motivation_score <> motivation_price_cut + motivation_days;

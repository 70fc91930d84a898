-- One row per property: its scores and confidence as formulas over named inputs, each with its result. Figures and
-- assumptions are columns under the names that formulas use.

with

terms as (
  select
    assumption('motivation_cut_max') as motivation_cut_max,
    assumption('motivation_points_per_cut_pct') as motivation_points_per_cut_pct,
    assumption('motivation_days_max') as motivation_days_max,
    assumption('motivation_days_full') as motivation_days_full,
    assumption('distress_max') as distress_max,
    assumption('distress_tax') as distress_tax,
    assumption('distress_tax_amount_max') as distress_tax_amount_max,
    assumption('distress_tax_points_per_pct') as distress_tax_points_per_pct,
    assumption('distress_sale') as distress_sale,
    assumption('distress_sale_soon') as distress_sale_soon,
    assumption('distress_sale_soon_days') as distress_sale_soon_days,
    assumption('score_yield_weight') as score_yield_weight,
    assumption('score_yield_from_pct') as score_yield_from_pct,
    assumption('score_yield_span_pct') as score_yield_span_pct,
    assumption('score_coverage_weight') as score_coverage_weight,
    assumption('score_coverage_from') as score_coverage_from,
    assumption('score_coverage_span') as score_coverage_span,
    assumption('score_motivation_weight') as score_motivation_weight,
    assumption('score_distress_weight') as score_distress_weight
),

figures as (
  select
    scores.*,
    confidence.confidence_score,
    confidence.confidence_parts,
    underwriting.list_price,
    condition.yield_on_cost_pct,
    condition.score_share_pct,
    stressed.dscr_stressed,
    properties.price_reduction_pct,
    properties.days_on_feed,
    distress.tax_amount,
    distress.tax_records,
    distress.sale_records,
    distress.sale_in_days
  from int_scores as scores
  join int_confidence as confidence on confidence.id = scores.id
  join int_underwriting as underwriting on underwriting.id = scores.id
  join int_condition as condition on condition.id = scores.id
  join int_stressed_coverage as stressed on stressed.id = scores.id
  join int_properties as properties on properties.id = scores.id
  join int_distress as distress on distress.id = scores.id
),

-- Formulas take every value as text
texts as (
  select cast(columns(*) as varchar)
  from figures
)

select
  id,
  steps_of([
    -- Scores
    step(
      'motivation_price_cut',
      case when price_reduction_pct is null then '0'
        else 'min(motivation_cut_max, round0(motivation_points_per_cut_pct * price_reduction_pct))' end,
      struct_pack(motivation_cut_max, motivation_points_per_cut_pct, price_reduction_pct),
      motivation_price_cut
    ),
    step(
      'motivation_days',
      'min(motivation_days_max, round0(motivation_days_max * days_on_feed / motivation_days_full))',
      struct_pack(motivation_days_max, days_on_feed, motivation_days_full),
      motivation_days
    ),
    step(
      'motivation_score',
      'motivation_price_cut + motivation_days',
      struct_pack(motivation_price_cut, motivation_days),
      motivation_score
    ),
    step(
      'tax_to_price_pct',
      'round2(tax_amount / list_price * 100)',
      struct_pack(tax_amount, list_price),
      tax_to_price_pct
    ),
    step(
      'distress_score',
      'min(distress_max, '
        || case
          when cast(tax_records as integer) = 0 then '0'
          when tax_to_price_pct is null then 'distress_tax'
          else 'distress_tax + min(distress_tax_amount_max, round0(distress_tax_points_per_pct * tax_to_price_pct))'
        end
        || ' + '
        || case
          when cast(sale_records as integer) = 0 then '0'
          when cast(sale_in_days as integer) <= cast(distress_sale_soon_days as integer)
            then 'distress_sale + distress_sale_soon'
          else 'distress_sale'
        end
        || ')',
      struct_pack(
        distress_max, distress_tax, distress_tax_amount_max, distress_tax_points_per_pct, tax_to_price_pct,
        distress_sale, distress_sale_soon, distress_sale_soon_days, sale_in_days
      ),
      distress_score
    ),
    step(
      'deal_score_yield',
      case
        when score_share_pct is null then '0'
        else 'round0(score_yield_weight * clamp((yield_on_cost_pct - score_yield_from_pct)'
          || ' / score_yield_span_pct) * score_share_pct / 100)'
      end,
      struct_pack(
        score_yield_weight, yield_on_cost_pct, score_yield_from_pct, score_yield_span_pct, score_share_pct
      ),
      deal_score_yield
    ),
    step(
      'deal_score_coverage',
      case
        when score_share_pct is null or dscr_stressed is null then '0'
        else 'round0(score_coverage_weight * clamp((dscr_stressed - score_coverage_from)'
          || ' / score_coverage_span) * score_share_pct / 100)'
      end,
      struct_pack(
        score_coverage_weight, dscr_stressed, score_coverage_from, score_coverage_span, score_share_pct
      ),
      deal_score_coverage
    ),
    step(
      'deal_score_motivation',
      'round0(score_motivation_weight * motivation_score / 100)',
      struct_pack(score_motivation_weight, motivation_score),
      deal_score_motivation
    ),
    step(
      'deal_score_distress',
      'round0(score_distress_weight * distress_score / 100)',
      struct_pack(score_distress_weight, distress_score),
      deal_score_distress
    ),
    step(
      'deal_score',
      'deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress',
      struct_pack(deal_score_yield, deal_score_coverage, deal_score_motivation, deal_score_distress),
      deal_score
    ),
    step(
      'confidence_score',
      array_to_string(json_keys(confidence_parts), ' + '),
      cast(confidence_parts as json),
      confidence_score
    )
  ]) as steps
from texts
cross join terms

-- One row per property: motivation, distress, deal score and confidence. All from figures that the record shows.

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

-- Months and percents have whole scales of their own; these are the scales of the two scores
scales as (select 100 as full_score),

properties as (select * from int_properties),

rents as (select * from int_market_rents),

underwriting as (select * from int_underwriting),

distress as (select * from int_distress),

joined as (
  select
    underwriting.*,
    rents.rent_basis,
    properties.year_built,
    properties.price_reduction_pct,
    properties.days_on_feed,
    date_diff('day', cast(properties.last_verified as date), properties.as_of) as price_age,
    distress.tax_records,
    distress.sale_records,
    distress.sale_in_days,
    percentage(distress.tax_amount, underwriting.list_price) as tax_to_price_pct
  from underwriting
  join properties on properties.id = underwriting.id
  join rents on rents.id = underwriting.id
  join distress on distress.id = underwriting.id
),

motivated as (
  select
    joined.*,
    cast(least(cut_max, round(wide(points_per_cut_pct) * coalesce(price_reduction_pct, 0))) as integer) as motivation_price_cut,
    cast(least(days_max, whole_quotient(days_max * days_on_feed, days_full)) as integer) as motivation_days,
    cast(least(distress_max,
      case when tax_records > 0
        then distress_tax + least(distress_tax_amount_max, round(wide(distress_tax_points_per_pct) * coalesce(tax_to_price_pct, 0)))
        else 0
      end
      + case when sale_records > 0
        then distress_sale + case when sale_in_days <= distress_sale_soon_days then distress_sale_soon else 0 end
        else 0
      end) as integer) as distress_score
  from joined
  cross join terms
),

scored as (
  select
    motivated.*,
    motivation_price_cut + motivation_days as motivation_score,
    coalesce(points(cap_scoring_pct, yield_from_pct, yield_span_pct, yield_weight), 0) as deal_score_yield,
    coalesce(points(coverage_scoring, coverage_from, coverage_span, coverage_weight), 0) as deal_score_coverage,
    points(motivation_price_cut + motivation_days, 0, full_score, motivation_weight) as deal_score_motivation,
    points(distress_score, 0, full_score, distress_weight) as deal_score_distress
  from motivated
  cross join terms
  cross join scales
),

trusted as (
  select
    scored.*,
    case
      when list_price is null then 0
      when price_age <= fresh_days then price_fresh
      when price_age <= recent_days then price_recent
      else price_old
    end::decimal(4, 2) as trust_price,
    case when units is not null then units_known else 0 end::decimal(4, 2) as trust_units,
    case
      when underwrite_reliability <> 'ok' then 0
      when rent_basis in ('zip', 'zip_lowest_of_several') then rent_zip
      else rent_metro
    end::decimal(4, 2) as trust_rent,
    case noi_source
      when 'stated' then noi_stated
      when 'derived_from_advertised_cap' then noi_derived
      when 'underwritten' then terms.noi_underwritten
      else 0
    end::decimal(4, 2) as trust_noi,
    case
      when underwrite_reliability <> 'ok' then 0
      when cap_gap_pct is null then gap_none
      when abs(cap_gap_pct) <= gap_small_points then gap_small
      when abs(cap_gap_pct) <= gap_medium_points then gap_medium
      else 0
    end::decimal(4, 2) as trust_agreement,
    case underwrite_reliability
      when 'ok' then reliable
      when 'unknown' then reliability_unknown
      else 0
    end::decimal(4, 2) as trust_reliability,
    case when year_built is not null then year_known else 0 end::decimal(4, 2) as trust_year
  from scored
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
  rounded(trust_price + trust_units + trust_rent + trust_noi + trust_agreement + trust_reliability + trust_year) as confidence_score,
  json_object(
    'price_verified', said(trust_price),
    'units_known', said(trust_units),
    'rent_proxy', said(trust_rent),
    'noi_source', said(trust_noi),
    'agreement', said(trust_agreement),
    'reliability', said(trust_reliability),
    'year_built', said(trust_year)
  ) as confidence_parts
from trusted

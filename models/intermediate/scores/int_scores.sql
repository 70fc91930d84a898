-- One row per property: repairs and condition, motivation and distress, and the deal score with its parts. Yield and
-- coverage points taper to nothing on the way to a price that means a typing error or a ruin, and to one at which HUD's
-- rent no longer fits, so that no limit is a cliff. A record in force that the building is condemned or vacant caps the
-- score.
-- Key: id
-- Not null: condition_record, deal_score

with

inputs as (
  select
    *,
    condition_record in ('condemned', 'order_to_vacate', 'vacant_building') as is_not_let
  from int_underwriting
  join int_properties using (id)
  join int_market_rents using (id)
  join int_owner_incomes using (id)
  join int_buildings using (id)
  join int_distress using (id)
  cross join terms
),

repairs as (
  select
    *,
    rounded(upfront_repairs_per_unit * units) as upfront_repairs,
    percentage(noi_scoring, list_price + upfront_repairs) as yield_on_cost_pct,
    case when noi_scoring is not null then quotient(price_per_unit, market_rent_2br) end as price_to_rent
  from inputs
),

-- The share of yield and coverage points that counts
shares as (
  select
    *,
    share_pct(price_per_unit, taper_price_per_unit_from, taper_price_per_unit_span) as price_share,
    share_below_pct(cap_rate_underwritten, taper_cap_to_pct, taper_cap_span_pct) as cap_share,
    share_pct(price_to_rent, proxy_low_multiple, taper_low_multiple_span) as low_multiple_share,
    share_below_pct(price_to_rent, proxy_high_multiple, taper_high_multiple_span) as high_multiple_share
  from repairs
),

limits as (
  select
    *,
    case when noi_scoring is not null then least(price_share, cap_share, low_multiple_share) end as condition_share,
    case
      when noi_scoring is not null then least(price_share, cap_share, low_multiple_share, high_multiple_share)
    end as score_share_pct
  from shares
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
  from limits
),

points as (
  select
    *,
    case
      when score_share_pct is null then 0
      else tapered_points(
        yield_on_cost_pct, score_yield_from_pct, score_yield_span_pct, score_yield_weight, score_share_pct
      )
    end as deal_score_yield,
    case
      when score_share_pct is null then 0
      else tapered_points(
        coverage_scoring, score_coverage_from, score_coverage_span, score_coverage_weight, score_share_pct
      )
    end as deal_score_coverage,
    points_of(motivation_score, score_motivation_weight) as deal_score_motivation,
    points_of(distress_score, score_distress_weight) as deal_score_distress
  from scores
),

deal_scores as (
  select
    *,
    deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress as points_earned,
    case
      when is_not_let then least(0, condition_score_cap - points_earned)
      when condition_record = 'code_case' then -least(condition_case_points, points_earned)
      else 0
    end as deal_score_condition,
    points_earned + deal_score_condition as deal_score
  from points
)

select
  id,

  -- Repairs and condition
  upfront_repairs_per_unit, upfront_repairs, yield_on_cost_pct, price_to_rent, score_share_pct,
  case
    when noi_scoring is null then 'not_scored'
    when score_share_pct = 100 then 'none'
    when score_share_pct = condition_share then 'condition_risk'
    else 'near_upper_proxy_limit'
  end as score_limit,
  condition_record,
  is_not_let,
  case
    when is_not_let then condition_record
    when condition_share < 100 and price_share = condition_share then 'low_price_per_unit'
    when condition_share < 100 and cap_share = condition_share then 'high_cap_rate'
    when condition_share < 100 then 'low_price_to_rent'
    when condition_record = 'code_case' then 'code_case'
    when noi_scoring is null then 'not_evaluated'
    else 'none'
  end as condition_risk,

  -- Motivation and distress
  motivation_score, motivation_price_cut, motivation_days, distress_score,

  -- Deal score
  deal_score, deal_score_yield, deal_score_coverage, deal_score_motivation, deal_score_distress, deal_score_condition,
  tax_to_price_pct
from deal_scores;

-- audit not_let_is_capped: a deal whose building is condemned or vacant by a record in force has condition_score_cap
-- points at most
select * from int_scores
where is_not_let and deal_score > (select condition_score_cap from terms);

-- audit not_let_ranks_low: no such deal is in the first third of a feed of 30 deals or more, half of them scored
select * from (
  select
    scores.id,
    scores.is_not_let,
    row_number() over (order by scores.deal_score desc, scores.id) as place,
    count(*) over () as deals,
    count(scores.score_share_pct) over () as scored_deals
  from int_scores as scores
  join int_properties as properties on properties.id = scores.id
  where properties.listing_status = 'active'
)
where is_not_let and place * 3 <= deals and deals >= 30 and scored_deals * 2 >= deals;

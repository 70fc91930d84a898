-- One row per property: the rental, wholesale and creative-finance paths, each scored by itself. If HUD's rent does not
-- fit the property, all three are Pass, with the reason: an unverified claim must not make a deal Hot. Nor does a
-- building that is condemned or vacant pay a bank or a seller; a wholesaler may still buy it.
-- Key: id

with

inputs as (
  select *
  from int_underwriting
  join int_properties using (id)
  join int_expenses using (id)
  join int_property_taxes using (id)
  join int_owner_incomes using (id)
  join int_scores using (id)
  cross join terms
),

-- The highest price that a wholesaler may pay: a share of the repaired value, less repairs and the fee. The next owner
-- pays the tax of the repaired value.
wholesale_offers as (
  select
    *,
    price_at_yield(noi_highest, noi_untaxed, tax_per_dollar, 0, as_share(wholesale_arv_cap_pct))
      as arv,
    rounded(
      wide(arv) * wholesale_share - wide(upfront_repairs_per_unit + wholesale_repairs_per_unit) * units - wholesale_fee
    ) as mao,
    greatest(motivation_score, distress_score) as pressure,
    -- Why no path is scored
    case
      when noi_scoring is not null then null
      when underwrite_reason is not null then underwrite_reason
      else dscr_reason
    end as unscored
  from inputs
),

by_thresholds as (
  select
    *,
    case
      when unscored is not null then 'Pass'
      when coverage_scoring >= rental_hot_coverage and cap_scoring_pct >= rental_hot_cap_pct then 'Hot'
      when coverage_scoring >= rental_warm_coverage and cap_scoring_pct >= rental_warm_cap_pct then 'Warm'
      else 'Pass'
    end as rental_by_thresholds,
    case
      when unscored is not null then 'Pass'
      when list_price <= mao then 'Hot'
      when list_price <= wide(mao) * wholesale_warm_multiple and motivation_score >= wholesale_warm_motivation
        then 'Warm'
      else 'Pass'
    end as wholesale_by_thresholds,
    case
      when unscored is not null then 'Pass'
      when seller_coverage >= creative_hot_coverage and pressure >= creative_hot_motivation then 'Hot'
      when seller_coverage >= creative_warm_coverage and pressure >= creative_warm_motivation then 'Warm'
      else 'Pass'
    end as creative_finance_by_thresholds
  from wholesale_offers
),

-- A price that indicates the building's condition makes no path Hot. If it is not let, the repairs are unknown too
statuses as (
  select
    *,
    case when is_not_let then 'Pass' else status_with_risk(rental_by_thresholds, score_limit) end as rental_status,
    case
      when is_not_let and wholesale_by_thresholds = 'Hot' then 'Warm'
      else status_with_risk(wholesale_by_thresholds, score_limit)
    end as wholesale_status,
    case when is_not_let then 'Pass' else status_with_risk(creative_finance_by_thresholds, score_limit) end
      as creative_finance_status,
    case when is_not_let then condition_record else 'condition_risk' end as lowered_by
  from by_thresholds
)

select
  id,

  rental_status,
  json_object(
    'status', rental_status,
    'reason', coalesce(
      unscored,
      case when rental_status <> rental_by_thresholds then lowered_by end,
      case rental_status when 'Pass' then 'below_thresholds' else 'meets_thresholds' end
    ),
    'assumption_set_id', assumption_set_id,
    'thresholds', json_object(
      'hot_coverage', as_text(rental_hot_coverage),
      'hot_cap_pct', as_text(rental_hot_cap_pct),
      'warm_coverage', as_text(rental_warm_coverage),
      'warm_cap_pct', as_text(rental_warm_cap_pct)
    ),
    'inputs', json_object(
      'coverage_scoring', as_text(coverage_scoring),
      'cap_scoring_pct', as_text(cap_scoring_pct),
      'noi_scoring', as_text(noi_scoring),
      'reserves_per_unit', as_text(reserves_per_unit),
      'annual_debt_service', as_text(annual_debt_service),
      'loan_amount', as_text(loan_amount),
      'minimum_loan', as_text(minimum_loan),
      'dscr_status', dscr_status
    )
  ) as rental_rationale,

  wholesale_status,
  json_object(
    'status', wholesale_status,
    'reason', coalesce(unscored, case
      when wholesale_status <> wholesale_by_thresholds then lowered_by
    end, case wholesale_status
      when 'Hot' then 'ask_at_or_below_offer'
      when 'Warm' then 'ask_near_offer_and_motivated'
      else 'ask_above_offer'
    end),
    'assumption_set_id', assumption_set_id,
    'thresholds', json_object(
      'arv_cap_pct', as_text(wholesale_arv_cap_pct),
      'share_of_arv', as_text(wholesale_share),
      'upfront_repairs_per_unit', as_text(wholesale_repairs_per_unit),
      'fee', as_text(wholesale_fee),
      'warm_multiple', as_text(wholesale_warm_multiple),
      'warm_motivation', wholesale_warm_motivation
    ),
    'inputs', json_object(
      'list_price', as_text(list_price),
      'units', units,
      'noi_underwritten', as_text(noi_underwritten),
      'upfront_repairs_per_unit', as_text(upfront_repairs_per_unit),
      'arv', as_text(arv),
      'mao', as_text(mao),
      'motivation_score', motivation_score
    )
  ) as wholesale_rationale,

  creative_finance_status,
  json_object(
    'status', creative_finance_status,
    'reason', coalesce(
      unscored,
      case when creative_finance_status <> creative_finance_by_thresholds then lowered_by end,
      case creative_finance_status when 'Pass' then 'below_thresholds' else 'meets_thresholds' end
    ),
    'assumption_set_id', assumption_set_id,
    'thresholds', json_object(
      'hot_coverage', as_text(creative_hot_coverage),
      'hot_motivation_or_distress', creative_hot_motivation,
      'warm_coverage', as_text(creative_warm_coverage),
      'warm_motivation_or_distress', creative_warm_motivation,
      'market_coverage', as_text(rental_hot_coverage)
    ),
    'inputs', json_object(
      'seller_coverage', as_text(seller_coverage),
      'seller_debt_service', as_text(seller_debt_service),
      'market_coverage', as_text(coverage_scoring),
      'needed', coverage_scoring < rental_hot_coverage,
      'motivation_score', motivation_score,
      'distress_score', distress_score,
      'motivation_or_distress', pressure,
      'subject_to', 'not_evaluated_no_existing_loan_data'
    )
  ) as creative_finance_rationale,

  -- Income value after repairs, and the highest price for a wholesaler
  arv,
  mao
from statuses

-- One row per property: the rental, wholesale and creative-finance paths, scored apart. Where HUD's rent does not fit
-- the property, all three pass it over and say why: a claim that nobody checked must not make a deal hot.

with

terms as (
  select
    max(assumption_set_id) as assumption_set_id,
    assumption('reserves_per_unit')::decimal(9, 2) as reserves_per_unit,
    assumption('rental_hot_coverage')::decimal(14, 2) as rental_hot_coverage,
    assumption('rental_hot_cap_pct')::decimal(14, 2) as rental_hot_cap_pct,
    assumption('rental_warm_coverage')::decimal(14, 2) as rental_warm_coverage,
    assumption('rental_warm_cap_pct')::decimal(14, 2) as rental_warm_cap_pct,
    assumption('wholesale_arv_cap_pct')::decimal(14, 2) as wholesale_arv_cap_pct,
    assumption('wholesale_share')::decimal(6, 4) as wholesale_share,
    assumption('wholesale_repairs_per_unit')::decimal(14, 2) as wholesale_repairs_per_unit,
    assumption('wholesale_fee')::decimal(14, 2) as wholesale_fee,
    assumption('wholesale_warm_multiple')::decimal(6, 4) as wholesale_warm_multiple,
    assumption('wholesale_warm_motivation')::integer as wholesale_warm_motivation,
    assumption('creative_hot_coverage')::decimal(14, 2) as creative_hot_coverage,
    assumption('creative_hot_motivation')::integer as creative_hot_motivation,
    assumption('creative_warm_coverage')::decimal(14, 2) as creative_warm_coverage,
    assumption('creative_warm_motivation')::integer as creative_warm_motivation,
    assumption('minimum_loan')::decimal(14, 2) as minimum_loan
  from declared_assumptions
),

underwriting as (select * from int_underwriting),

scores as (select id, motivation_score, distress_score from int_scores),

joined as (
  select
    underwriting.*,
    scores.motivation_score,
    scores.distress_score,
    greatest(scores.motivation_score, scores.distress_score) as pressure,
    -- Why no path is scored at all
    case
      when noi_scoring is not null then null
      when underwrite_reason is not null then underwrite_reason
      else dscr_reason
    end as unscored,
    percentage(noi_underwritten, wholesale_arv_cap_pct) as arv,
    quotient(noi_scoring - wide(reserves_per_unit) * units, seller_debt_service) as seller_coverage
  from underwriting
  join scores on scores.id = underwriting.id
  cross join terms
),

-- The most a wholesaler may pay: a share of the repaired value, less repairs and the fee
offered as (
  select
    joined.*,
    rounded(wide(arv) * wholesale_share - wide(wholesale_repairs_per_unit) * units - wholesale_fee) as mao
  from joined
  cross join terms
),

decided as (
  select
    offered.*,
    case
      when unscored is not null then 'Pass'
      when coverage_scoring >= rental_hot_coverage and cap_scoring_pct >= rental_hot_cap_pct then 'Hot'
      when coverage_scoring >= rental_warm_coverage and cap_scoring_pct >= rental_warm_cap_pct then 'Warm'
      else 'Pass'
    end as rental_status,
    case
      when unscored is not null then 'Pass'
      when list_price <= mao then 'Hot'
      when list_price <= wide(mao) * wholesale_warm_multiple and motivation_score >= wholesale_warm_motivation then 'Warm'
      else 'Pass'
    end as wholesale_status,
    case
      when unscored is not null then 'Pass'
      when seller_coverage >= creative_hot_coverage and pressure >= creative_hot_motivation then 'Hot'
      when seller_coverage >= creative_warm_coverage and pressure >= creative_warm_motivation then 'Warm'
      else 'Pass'
    end as creative_finance_status
  from offered
  cross join terms
)

select
  id,

  rental_status,
  json_object(
    'status', rental_status,
    'reason', coalesce(unscored, case rental_status when 'Pass' then 'below_thresholds' else 'meets_thresholds' end),
    'assumption_set_id', assumption_set_id,
    'thresholds', json_object(
      'hot_coverage', said(rental_hot_coverage),
      'hot_cap_pct', said(rental_hot_cap_pct),
      'warm_coverage', said(rental_warm_coverage),
      'warm_cap_pct', said(rental_warm_cap_pct)
    ),
    'inputs', json_object(
      'coverage_scoring', said(coverage_scoring),
      'cap_scoring_pct', said(cap_scoring_pct),
      'noi_scoring', said(noi_scoring),
      'reserves_per_unit', said(reserves_per_unit),
      'annual_debt_service', said(annual_debt_service),
      'loan_amount', said(loan_amount),
      'minimum_loan', said(minimum_loan),
      'dscr_status', dscr_status
    )
  ) as rental_rationale,

  wholesale_status,
  json_object(
    'status', wholesale_status,
    'reason', coalesce(unscored, case wholesale_status when 'Hot' then 'ask_at_or_below_offer' when 'Warm' then 'ask_near_offer_and_motivated' else 'ask_above_offer' end),
    'assumption_set_id', assumption_set_id,
    'thresholds', json_object(
      'arv_cap_pct', said(wholesale_arv_cap_pct),
      'share_of_arv', said(wholesale_share),
      'repairs_per_unit', said(wholesale_repairs_per_unit),
      'fee', said(wholesale_fee),
      'warm_multiple', said(wholesale_warm_multiple),
      'warm_motivation', said(wholesale_warm_motivation)
    ),
    'inputs', json_object(
      'list_price', said(list_price),
      'units', said(units),
      'noi_underwritten', said(noi_underwritten),
      'arv', said(arv),
      'mao', said(mao),
      'motivation_score', said(motivation_score)
    )
  ) as wholesale_rationale,

  creative_finance_status,
  json_object(
    'status', creative_finance_status,
    'reason', coalesce(unscored, case creative_finance_status when 'Pass' then 'below_thresholds' else 'meets_thresholds' end),
    'assumption_set_id', assumption_set_id,
    'thresholds', json_object(
      'hot_coverage', said(creative_hot_coverage),
      'hot_motivation_or_distress', said(creative_hot_motivation),
      'warm_coverage', said(creative_warm_coverage),
      'warm_motivation_or_distress', said(creative_warm_motivation),
      'market_coverage', said(rental_hot_coverage)
    ),
    'inputs', json_object(
      'seller_coverage', said(seller_coverage),
      'seller_debt_service', said(seller_debt_service),
      'market_coverage', said(coverage_scoring),
      'needed', case coverage_scoring < rental_hot_coverage when true then 'yes' when false then 'no' end,
      'motivation_score', said(motivation_score),
      'distress_score', said(distress_score),
      'motivation_or_distress', said(pressure),
      'subject_to', 'not_evaluated_no_existing_loan_data'
    )
  ) as creative_finance_rationale
from decided
cross join terms

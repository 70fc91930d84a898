-- One row per deal: the report a buyer reads beside the deal. The claim beside HUD's underwriting, the debt, a grid of
-- what-ifs, the offer with all that limits it, distress, the paths, and every figure as a formula over named inputs.
-- a.key is the value of an assumption, as text.

with

assumed as (
  select {
    'utility_share': assumption('utility_share'),
    'months_per_year': assumption('months_per_year'),
    'vacancy': assumption('vacancy'),
    'loan_to_value': assumption('loan_to_value'),
    'loan_rate_pct': assumption('loan_rate_pct'),
    'loan_years': assumption('loan_years'),
    'loan_monthly_factor': assumption('loan_monthly_factor'),
    'loan_annual_constant': assumption('loan_annual_constant'),
    'minimum_loan': assumption('minimum_loan'),
    'seller_down_share': assumption('seller_down_share'),
    'seller_rate_pct': assumption('seller_rate_pct'),
    'seller_years': assumption('seller_years'),
    'seller_monthly_factor': assumption('seller_monthly_factor'),
    'reserves_per_unit': assumption('reserves_per_unit'),
    'motivation_cut_max': assumption('motivation_cut_max'),
    'motivation_points_per_cut_pct': assumption('motivation_points_per_cut_pct'),
    'motivation_days_max': assumption('motivation_days_max'),
    'motivation_days_full': assumption('motivation_days_full'),
    'distress_max': assumption('distress_max'),
    'distress_tax': assumption('distress_tax'),
    'distress_tax_amount_max': assumption('distress_tax_amount_max'),
    'distress_tax_points_per_pct': assumption('distress_tax_points_per_pct'),
    'distress_sale': assumption('distress_sale'),
    'distress_sale_soon': assumption('distress_sale_soon'),
    'distress_sale_soon_days': assumption('distress_sale_soon_days'),
    'score_yield_weight': assumption('score_yield_weight'),
    'score_yield_from_pct': assumption('score_yield_from_pct'),
    'score_yield_span_pct': assumption('score_yield_span_pct'),
    'score_coverage_weight': assumption('score_coverage_weight'),
    'score_coverage_from': assumption('score_coverage_from'),
    'score_coverage_span': assumption('score_coverage_span'),
    'score_motivation_weight': assumption('score_motivation_weight'),
    'score_distress_weight': assumption('score_distress_weight'),
    'wholesale_arv_cap_pct': assumption('wholesale_arv_cap_pct'),
    'wholesale_share': assumption('wholesale_share'),
    'wholesale_repairs_per_unit': assumption('wholesale_repairs_per_unit'),
    'wholesale_fee': assumption('wholesale_fee'),
    'target_cap_pct': assumption('target_cap_pct'),
    'offer_coverage': assumption('offer_coverage'),
    'offer_step': assumption('offer_step'),
    'stress_rent': assumption('stress_rent'),
    'stress_vacancy': assumption('stress_vacancy'),
    'stress_expenses': assumption('stress_expenses')
  } as a
),

terms as (
  select
    a,
    cast(a.utility_share as decimal(6, 4)) as utility_share,
    cast(a.months_per_year as decimal(2, 0)) as months_per_year,
    cast(a.vacancy as decimal(6, 4)) as vacancy,
    cast(a.target_cap_pct as decimal(9, 4)) * 0.01 as target_cap,
    cast(a.offer_coverage as decimal(4, 2)) * cast(a.loan_to_value as decimal(4, 2)) * cast(a.loan_annual_constant as decimal(22, 20)) as coverage_divisor,
    cast(a.offer_step as integer) as offer_step
  from assumed
),

-- The what-ifs of the grid, in the order of their keys
rents as (
  select key, cast(value as decimal(6, 4)) as rent_change from declared_assumptions where key like 'grid\_rent\_%' escape '\'
),

vacancies as (
  select key, cast(value as decimal(6, 4)) as grid_vacancy from declared_assumptions where key like 'grid\_vacancy\_%' escape '\'
),

expenses as (
  select key, cast(value as decimal(6, 4)) as expense_change from declared_assumptions where key like 'grid\_expenses\_%' escape '\'
),

rates as (
  select rate.key, rate.value as rate_pct, factor.value as monthly_factor
  from declared_assumptions as rate
  join declared_assumptions as factor on factor.key = replace(replace(rate.key, 'grid_rate_', 'grid_monthly_factor_'), '_pct', '')
  where rate.key like 'grid\_rate\_%' escape '\'
),

-- Every combination of them, as one list; and the rates as another
scenarios as (
  select list({
    'rent_change': rent_change,
    'vacancy': grid_vacancy,
    'expense_change': expense_change
  } order by rents.key, vacancies.key, expenses.key) as scenarios
  from rents
  cross join vacancies
  cross join expenses
),

rate_list as (
  select list({'rate_pct': rate_pct, 'monthly_factor': monthly_factor} order by key) as rates
  from rates
),

deals as (select * from deals),

figures as (
  select
    deals.*,
    underwriting.claimed_noi,
    underwriting.expense_ratio_of_size_pct,
    underwriting.expense_adjustment_pct,
    underwriting.seller_loan,
    underwriting.seller_payment,
    underwriting.seller_debt_service,
    distress.tax_amount,
    distress.tax_records,
    distress.sale_records,
    distress.sale_in_days,
    case when deals.dscr_status = 'computed' then quotient(underwriting.claimed_noi, deals.annual_debt_service) end as claimed_dscr,
    percentage(distress.tax_amount, deals.list_price) as tax_to_price_pct,
    cast(deals.wholesale_rationale -> 'inputs' ->> 'arv' as decimal(14, 2)) as arv,
    cast(deals.wholesale_rationale -> 'inputs' ->> 'mao' as decimal(14, 2)) as mao,
    cast(deals.creative_finance_rationale -> 'inputs' ->> 'seller_coverage' as decimal(14, 2)) as seller_coverage,
    case deals.offer_status when 'computed' then 'noi_scoring' when 'claimed_basis_unverified' then 'claimed_noi' end as offer_basis,
    case deals.offer_status when 'computed' then deals.noi_scoring when 'claimed_basis_unverified' then underwriting.claimed_noi end as offer_noi,
    case
      when deals.dscr_reason in ('single_unit', 'not_income_property') then 'not_applicable'
      when deals.cap_rate_underwritten is null then 'insufficient_data'
      else 'computed'
    end as sensitivity_status
  from deals
  join int_underwriting as underwriting on underwriting.id = deals.id
  join int_distress as distress on distress.id = deals.id
),

-- Debt at each rate of the grid, income in each scenario, which the rate does not change, and what limits the offer, each
-- rounded down to the step
limited as (
  select
    figures.*,
    a,
    scenarios,
    case when sensitivity_status = 'computed' then
      list_transform(rates, lambda rate: {
        'rate_pct': rate.rate_pct,
        'monthly_factor': rate.monthly_factor,
        'monthly_payment': rounded(loan_amount * cast(rate.monthly_factor as decimal(22, 20)))
      })
    end as payments,
    case when sensitivity_status = 'computed' then
      list_transform(scenarios, lambda scenario:
        rounded(wide(units) * market_rent_2br * (1 - utility_share) * months_per_year * (1 + scenario.rent_change) * (1 - scenario.vacancy)
          * (1 - cast(expense_ratio_pct * 0.01 as decimal(6, 4)) - scenario.expense_change)))
    end as incomes,
    case when offer_noi is not null then quotient_down_to(list_price, 1, offer_step) end as limit_list_price,
    case when offer_noi is not null then quotient_down_to(offer_noi, target_cap, offer_step) end as limit_target_cap,
    case when offer_noi is not null then quotient_down_to(offer_noi, coverage_divisor, offer_step) end as limit_debt_coverage
  from figures
  cross join scenarios
  cross join rate_list
  cross join terms
),

serviced as (
  select
    limited.*,
    list_transform(payments, lambda payment: rounded(months_per_year * payment.monthly_payment)) as services
  from limited
  cross join terms
),

joined as (
  select
    * exclude (scenarios, payments, incomes, services),
    list_transform(payments, lambda payment, i: {
      'rate_pct': payment.rate_pct,
      'monthly_factor': payment.monthly_factor,
      'monthly_payment': said(payment.monthly_payment),
      'annual_debt_service': said(services[i])
    }) as rates,
    list_transform(case when incomes is not null then list_zip(scenarios, incomes) end, lambda cell: {
      'rent_change': said(cast(cell[1].rent_change as decimal(6, 2))),
      'vacancy': said(cast(cell[1].vacancy as decimal(6, 2))),
      'expense_change': said(cast(cell[1].expense_change as decimal(6, 2))),
      'noi': said(cell[2]),
      'cap_rate_pct': said(percentage(cell[2], list_price)),
      'dscr': case when dscr_status <> 'not_applicable' then list_transform(services, lambda service: said(quotient(cell[2], service))) end
    }) as cells
  from serviced
)

select
  id,

  -- The claim beside the underwriting
  json_object(
    'status', case
      when claimed_noi is not null and noi_underwritten is not null then 'compared'
      when noi_underwritten is not null then 'no_claim'
      when claimed_noi is not null or cap_rate is not null then 'no_underwriting'
      else 'neither'
    end,
    'claim_basis', case when claimed_noi is null then 'none' else noi_source end,
    'claim_consistency', claim_consistency,
    'reliability', underwrite_reliability,
    'reliability_reason', underwrite_reason,
    'lines', json_array(
      json_object('figure', 'noi', 'claimed', said(claimed_noi), 'underwritten', said(noi_underwritten), 'difference', said(rounded(claimed_noi - noi_underwritten))),
      json_object('figure', 'cap_rate_pct', 'claimed', said(cap_rate), 'underwritten', said(cap_rate_underwritten), 'difference', said(cap_gap_pct)),
      json_object('figure', 'dscr', 'claimed', said(claimed_dscr), 'underwritten', said(dscr_underwritten), 'difference', said(rounded(claimed_dscr - dscr_underwritten)))
    )
  ) as comparison,

  -- Debt
  json_object(
    'status', dscr_status,
    'reason', dscr_reason,
    'bank', json_object(
      'loan_to_value', a.loan_to_value, 'rate_pct', a.loan_rate_pct, 'years', a.loan_years, 'minimum_loan', a.minimum_loan,
      'loan_amount', said(loan_amount), 'monthly_payment', said(monthly_payment), 'annual_debt_service', said(annual_debt_service)
    ),
    'seller', json_object(
      'down_share', a.seller_down_share, 'rate_pct', a.seller_rate_pct, 'years', a.seller_years,
      'loan_amount', said(seller_loan), 'monthly_payment', said(seller_payment), 'annual_debt_service', said(seller_debt_service)
    )
  ) as debt_terms,

  -- Grid
  json_object(
    'status', sensitivity_status,
    'reliability', underwrite_reliability,
    'formulas', json_object(
      'monthly_payment', 'round2(loan_amount * monthly_factor)',
      'annual_debt_service', 'round2(months_per_year * monthly_payment)',
      'noi', 'round2(units * market_rent_2br * (1 - utility_share) * months_per_year * (1 + rent_change) * (1 - vacancy) * (1 - expense_ratio_pct / 100 - expense_change))',
      'cap_rate_pct', 'round2(noi / list_price * 100)',
      'dscr', 'round2(noi / annual_debt_service)'
    ),
    'inputs', json_object(
      'units', said(units), 'market_rent_2br', said(market_rent_2br), 'utility_share', a.utility_share, 'months_per_year', a.months_per_year,
      'expense_ratio_pct', said(expense_ratio_pct), 'list_price', said(list_price), 'loan_amount', said(loan_amount)
    ),
    'rates', coalesce(rates, []),
    'cells', coalesce(cells, [])
  ) as sensitivity,

  -- Offer
  json_object(
    'status', offer_status,
    'target_cap_pct', a.target_cap_pct,
    'noi_basis', offer_basis,
    'low', said(offer_low),
    'high', said(offer_high),
    'high_binding', offer_binding,
    'low_binding', case when offer_low < offer_high then 'stress' when offer_low = offer_high then 'high' end,
    'ask_at_or_below_target_value', ask_at_or_below_target_value,
    'constraints', case when offer_noi is null then '[]'::json else json_array(
      json_object('constraint', 'list_price', 'figure', said(limit_list_price), 'binding', offer_binding = 'list_price'),
      json_object('constraint', 'target_cap', 'figure', said(limit_target_cap), 'binding', offer_binding = 'target_cap'),
      json_object('constraint', 'debt_coverage', 'figure', said(limit_debt_coverage), 'binding', offer_binding = 'debt_coverage')
    ) end
  ) as offer,

  distress_matches,
  json_object('rental', rental_rationale, 'wholesale', wholesale_rationale, 'creative_finance', creative_finance_rationale) as paths,

  -- Every figure, to be made again
  cast('[' || concat_ws(',',
    -- Claim
    case when noi_source = 'derived_from_advertised_cap' then
      step('claimed_noi', 'round2(list_price * cap_rate / 100)', json_object('list_price', said(list_price), 'cap_rate', said(cap_rate)), claimed_noi) end,
    case when cap_rate_source = 'derived_from_stated_noi' then
      step('cap_rate', 'round2(noi / list_price * 100)', json_object('noi', said(noi), 'list_price', said(list_price)), cap_rate) end,
    case when noi_source <> 'stated' then
      step('noi', case noi_source when 'underwritten' then 'noi_underwritten' else 'claimed_noi' end,
        case noi_source when 'underwritten' then json_object('noi_underwritten', said(noi_underwritten)) else json_object('claimed_noi', said(claimed_noi)) end, noi) end,
    step('price_per_unit', 'round2(list_price / units)', json_object('list_price', said(list_price), 'units', said(units)), price_per_unit),
    step('price_reduction_pct', 'max(0, round2((first_price - list_price) / first_price * 100))', json_object('first_price', said(first_price), 'list_price', said(list_price)), price_reduction_pct),
    -- Income
    step('expense_ratio_pct', 'expense_ratio_of_size_pct + expense_adjustment_pct',
      json_object('expense_ratio_of_size_pct', said(expense_ratio_of_size_pct), 'expense_adjustment_pct', said(expense_adjustment_pct)), expense_ratio_pct),
    step('gross_potential_rent', 'round2(units * market_rent_2br * (1 - utility_share) * months_per_year)',
      json_object('units', said(units), 'market_rent_2br', said(market_rent_2br), 'utility_share', a.utility_share, 'months_per_year', a.months_per_year), gross_potential_rent),
    step('effective_gross_income', 'round2(units * market_rent_2br * (1 - utility_share) * months_per_year * (1 - vacancy))',
      json_object('units', said(units), 'market_rent_2br', said(market_rent_2br), 'utility_share', a.utility_share, 'months_per_year', a.months_per_year, 'vacancy', a.vacancy), effective_gross_income),
    step('noi_underwritten', 'round2(units * market_rent_2br * (1 - utility_share) * months_per_year * (1 - vacancy) * (1 - expense_ratio_pct / 100))',
      json_object('units', said(units), 'market_rent_2br', said(market_rent_2br), 'utility_share', a.utility_share, 'months_per_year', a.months_per_year, 'vacancy', a.vacancy, 'expense_ratio_pct', said(expense_ratio_pct)), noi_underwritten),
    step('cap_rate_underwritten', 'round2(noi_underwritten / list_price * 100)', json_object('noi_underwritten', said(noi_underwritten), 'list_price', said(list_price)), cap_rate_underwritten),
    step('cap_gap_pct', 'cap_rate - cap_rate_underwritten', json_object('cap_rate', said(cap_rate), 'cap_rate_underwritten', said(cap_rate_underwritten)), cap_gap_pct),
    step('gross_rent_multiplier', 'round2(list_price / gross_potential_rent)', json_object('list_price', said(list_price), 'gross_potential_rent', said(gross_potential_rent)), gross_rent_multiplier),
    -- Debt
    step('loan_amount', 'round2(list_price * loan_to_value)', json_object('list_price', said(list_price), 'loan_to_value', a.loan_to_value), loan_amount),
    step('monthly_payment', 'round2(loan_amount * loan_monthly_factor)', json_object('loan_amount', said(loan_amount), 'loan_monthly_factor', a.loan_monthly_factor), monthly_payment),
    step('annual_debt_service', 'round2(months_per_year * monthly_payment)', json_object('months_per_year', a.months_per_year, 'monthly_payment', said(monthly_payment)), annual_debt_service),
    step('dscr', 'round2(noi / annual_debt_service)', json_object('noi', said(noi), 'annual_debt_service', said(annual_debt_service)), dscr),
    step('claimed_dscr', 'round2(claimed_noi / annual_debt_service)', json_object('claimed_noi', said(claimed_noi), 'annual_debt_service', said(annual_debt_service)), claimed_dscr),
    step('dscr_underwritten', 'round2(noi_underwritten / annual_debt_service)', json_object('noi_underwritten', said(noi_underwritten), 'annual_debt_service', said(annual_debt_service)), dscr_underwritten),
    step('debt_yield_pct', 'round2(noi / loan_amount * 100)', json_object('noi', said(noi), 'loan_amount', said(loan_amount)), debt_yield_pct),
    step('break_even_occupancy_pct', 'round2((effective_gross_income - noi_underwritten + annual_debt_service) / gross_potential_rent * 100)',
      json_object('effective_gross_income', said(effective_gross_income), 'noi_underwritten', said(noi_underwritten), 'annual_debt_service', said(annual_debt_service), 'gross_potential_rent', said(gross_potential_rent)), break_even_occupancy_pct),
    -- Scoring
    case when claimed_noi is null then step('noi_scoring', 'noi_underwritten', json_object('noi_underwritten', said(noi_underwritten)), noi_scoring)
      else step('noi_scoring', 'min(noi_underwritten, round2((claimed_noi + noi_underwritten) / 2))', json_object('noi_underwritten', said(noi_underwritten), 'claimed_noi', said(claimed_noi)), noi_scoring) end,
    step('cap_scoring_pct', 'round2(noi_scoring / list_price * 100)', json_object('noi_scoring', said(noi_scoring), 'list_price', said(list_price)), cap_scoring_pct),
    step('coverage_scoring', 'round2((noi_scoring - reserves_per_unit * units) / annual_debt_service)',
      json_object('noi_scoring', said(noi_scoring), 'reserves_per_unit', a.reserves_per_unit, 'units', said(units), 'annual_debt_service', said(annual_debt_service)), coverage_scoring),
    step('motivation_price_cut', case when price_reduction_pct is null then '0' else 'min(motivation_cut_max, round0(motivation_points_per_cut_pct * price_reduction_pct))' end,
      json_object('motivation_cut_max', a.motivation_cut_max, 'motivation_points_per_cut_pct', a.motivation_points_per_cut_pct, 'price_reduction_pct', said(price_reduction_pct)), motivation_price_cut),
    step('motivation_days', 'min(motivation_days_max, round0(motivation_days_max * days_on_feed / motivation_days_full))',
      json_object('motivation_days_max', a.motivation_days_max, 'days_on_feed', said(days_on_feed), 'motivation_days_full', a.motivation_days_full), motivation_days),
    step('motivation_score', 'motivation_price_cut + motivation_days', json_object('motivation_price_cut', said(motivation_price_cut), 'motivation_days', said(motivation_days)), motivation_score),
    step('tax_to_price_pct', 'round2(tax_amount / list_price * 100)', json_object('tax_amount', said(tax_amount), 'list_price', said(list_price)), tax_to_price_pct),
    step('distress_score',
      'min(distress_max, '
        || case when tax_records = 0 then '0' when tax_to_price_pct is null then 'distress_tax' else 'distress_tax + min(distress_tax_amount_max, round0(distress_tax_points_per_pct * tax_to_price_pct))' end
        || ' + ' || case when sale_records = 0 then '0' when sale_in_days <= cast(a.distress_sale_soon_days as integer) then 'distress_sale + distress_sale_soon' else 'distress_sale' end || ')',
      json_object('distress_max', a.distress_max, 'distress_tax', a.distress_tax, 'distress_tax_amount_max', a.distress_tax_amount_max, 'distress_tax_points_per_pct', a.distress_tax_points_per_pct,
        'tax_to_price_pct', said(tax_to_price_pct), 'distress_sale', a.distress_sale, 'distress_sale_soon', a.distress_sale_soon, 'distress_sale_soon_days', a.distress_sale_soon_days, 'sale_in_days', said(sale_in_days)), distress_score),
    step('deal_score_yield', case when noi_scoring is null then '0' else 'round0(score_yield_weight * clamp((cap_scoring_pct - score_yield_from_pct) / score_yield_span_pct))' end,
      json_object('score_yield_weight', a.score_yield_weight, 'cap_scoring_pct', said(cap_scoring_pct), 'score_yield_from_pct', a.score_yield_from_pct, 'score_yield_span_pct', a.score_yield_span_pct), deal_score_yield),
    step('deal_score_coverage', case when noi_scoring is null then '0' else 'round0(score_coverage_weight * clamp((coverage_scoring - score_coverage_from) / score_coverage_span))' end,
      json_object('score_coverage_weight', a.score_coverage_weight, 'coverage_scoring', said(coverage_scoring), 'score_coverage_from', a.score_coverage_from, 'score_coverage_span', a.score_coverage_span), deal_score_coverage),
    step('deal_score_motivation', 'round0(score_motivation_weight * motivation_score / 100)', json_object('score_motivation_weight', a.score_motivation_weight, 'motivation_score', said(motivation_score)), deal_score_motivation),
    step('deal_score_distress', 'round0(score_distress_weight * distress_score / 100)', json_object('score_distress_weight', a.score_distress_weight, 'distress_score', said(distress_score)), deal_score_distress),
    step('deal_score', 'deal_score_yield + deal_score_coverage + deal_score_motivation + deal_score_distress',
      json_object('deal_score_yield', said(deal_score_yield), 'deal_score_coverage', said(deal_score_coverage), 'deal_score_motivation', said(deal_score_motivation), 'deal_score_distress', said(deal_score_distress)), deal_score),
    step('confidence_score', array_to_string(json_keys(confidence_parts), ' + '), confidence_parts, confidence_score),
    -- Paths
    step('arv', 'round2(noi_underwritten / wholesale_arv_cap_pct * 100)', json_object('noi_underwritten', said(noi_underwritten), 'wholesale_arv_cap_pct', a.wholesale_arv_cap_pct), arv),
    step('mao', 'round2(arv * wholesale_share - wholesale_repairs_per_unit * units - wholesale_fee)',
      json_object('arv', said(arv), 'wholesale_share', a.wholesale_share, 'wholesale_repairs_per_unit', a.wholesale_repairs_per_unit, 'units', said(units), 'wholesale_fee', a.wholesale_fee), mao),
    step('seller_loan', 'round2(list_price * (1 - seller_down_share))', json_object('list_price', said(list_price), 'seller_down_share', a.seller_down_share), seller_loan),
    step('seller_payment', 'round2(seller_loan * seller_monthly_factor)', json_object('seller_loan', said(seller_loan), 'seller_monthly_factor', a.seller_monthly_factor), seller_payment),
    step('seller_debt_service', 'round2(months_per_year * seller_payment)', json_object('months_per_year', a.months_per_year, 'seller_payment', said(seller_payment)), seller_debt_service),
    step('seller_coverage', 'round2((noi_scoring - reserves_per_unit * units) / seller_debt_service)',
      json_object('noi_scoring', said(noi_scoring), 'reserves_per_unit', a.reserves_per_unit, 'units', said(units), 'seller_debt_service', said(seller_debt_service)), seller_coverage),
    -- Offer
    step('limit_list_price', 'floor_to(list_price, offer_step)', json_object('list_price', said(list_price), 'offer_step', a.offer_step), limit_list_price),
    step('limit_target_cap', 'floor_to(offer_noi / (target_cap_pct / 100), offer_step)', json_object('offer_noi', said(offer_noi), 'target_cap_pct', a.target_cap_pct, 'offer_step', a.offer_step), limit_target_cap),
    step('limit_debt_coverage', 'floor_to(offer_noi / (offer_coverage * loan_to_value * loan_annual_constant), offer_step)',
      json_object('offer_noi', said(offer_noi), 'offer_coverage', a.offer_coverage, 'loan_to_value', a.loan_to_value, 'loan_annual_constant', a.loan_annual_constant, 'offer_step', a.offer_step), limit_debt_coverage),
    step('offer_high', 'min(limit_list_price, min(limit_target_cap, limit_debt_coverage))',
      json_object('limit_list_price', said(limit_list_price), 'limit_target_cap', said(limit_target_cap), 'limit_debt_coverage', said(limit_debt_coverage)), offer_high),
    step('offer_low', 'min(offer_high, floor_to(offer_noi / (target_cap_pct / 100) * (1 + stress_rent) * (1 - vacancy - stress_vacancy) / (1 - vacancy) * (1 - expense_ratio_pct / 100 - stress_expenses) / (1 - expense_ratio_pct / 100), offer_step))',
      json_object('offer_high', said(offer_high), 'offer_noi', said(offer_noi), 'target_cap_pct', a.target_cap_pct, 'stress_rent', a.stress_rent, 'vacancy', a.vacancy, 'stress_vacancy', a.stress_vacancy,
        'expense_ratio_pct', said(expense_ratio_pct), 'stress_expenses', a.stress_expenses, 'offer_step', a.offer_step), offer_low)
  ) || ']' as json) as recompute,
  assumption_set_id
from joined

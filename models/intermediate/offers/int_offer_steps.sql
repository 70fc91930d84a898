-- One row per property: the figures of paths and offer as formulas over named inputs, each with its result. Figures and
-- assumptions are columns under the names that formulas use.
-- Key: id

with

terms as (
  select
    assumption('months_per_year') as months_per_year,
    assumption('loan_to_value') as loan_to_value,
    as_text(annual_constant) as annual_constant,
    assumption('seller_down_share') as seller_down_share,
    assumption('seller_monthly_factor') as seller_monthly_factor,
    assumption('wholesale_arv_cap_pct') as wholesale_arv_cap_pct,
    assumption('wholesale_share') as wholesale_share,
    assumption('wholesale_repairs_per_unit') as wholesale_repairs_per_unit,
    assumption('wholesale_fee') as wholesale_fee,
    assumption('target_cap_pct') as target_cap_pct,
    assumption('offer_coverage') as offer_coverage,
    assumption('offer_step') as offer_step,
    assumption('stress_rent') as stress_rent,
    assumption('stress_vacancy') as stress_vacancy,
    assumption('stress_expenses') as stress_expenses
  from int_loan_rates
),

figures as (
  select
    offers.*,
    paths.arv,
    paths.mao,
    condition.upfront_repairs_per_unit,
    condition.upfront_repairs,
    underwriting.list_price,
    underwriting.units,
    underwriting.expense_ratio_pct,
    underwriting.vacancy_pct,
    underwriting.variable_expenses,
    underwriting.effective_gross_income,
    underwriting.noi_underwritten,
    underwriting.noi_scoring,
    underwriting.reserves_per_unit,
    underwriting.seller_loan,
    underwriting.seller_payment,
    underwriting.seller_debt_service,
    underwriting.seller_coverage
  from int_offers as offers
  join int_paths as paths on paths.id = offers.id
  join int_condition as condition on condition.id = offers.id
  join int_underwriting as underwriting on underwriting.id = offers.id
),

-- Formulas take every value as text
texts as (
  select cast(columns(*) as varchar)
  from figures
)

select
  id,
  steps_of([
    -- Paths
    step(
      'arv',
      'round2(noi_underwritten / wholesale_arv_cap_pct * 100)',
      struct_pack(noi_underwritten, wholesale_arv_cap_pct),
      arv
    ),
    step(
      'mao',
      'round2(arv * wholesale_share - (upfront_repairs_per_unit + wholesale_repairs_per_unit) * units - wholesale_fee)',
      struct_pack(arv, wholesale_share, upfront_repairs_per_unit, wholesale_repairs_per_unit, units, wholesale_fee),
      mao
    ),
    step(
      'seller_loan',
      'round2(list_price * (1 - seller_down_share))',
      struct_pack(list_price, seller_down_share),
      seller_loan
    ),
    step(
      'seller_payment',
      'round2(seller_loan * seller_monthly_factor)',
      struct_pack(seller_loan, seller_monthly_factor),
      seller_payment
    ),
    step(
      'seller_debt_service',
      'round2(months_per_year * seller_payment)',
      struct_pack(months_per_year, seller_payment),
      seller_debt_service
    ),
    step(
      'seller_coverage',
      'round2((noi_scoring - reserves_per_unit * units) / seller_debt_service)',
      struct_pack(noi_scoring, reserves_per_unit, units, seller_debt_service),
      seller_coverage
    ),

    -- Offer
    step('limit_list_price', 'floor_to(list_price, offer_step)', struct_pack(list_price, offer_step), limit_list_price),
    step(
      'limit_target_cap',
      'floor_to(max(0, floor_to(offer_noi / (target_cap_pct / 100), 1) - upfront_repairs), offer_step)',
      struct_pack(offer_noi, target_cap_pct, upfront_repairs, offer_step),
      limit_target_cap
    ),
    step(
      'limit_debt_coverage',
      'floor_to(offer_noi / (offer_coverage * loan_to_value * annual_constant), offer_step)',
      struct_pack(offer_noi, offer_coverage, loan_to_value, annual_constant, offer_step),
      limit_debt_coverage
    ),
    step(
      'offer_high',
      'min(limit_list_price, min(limit_target_cap, limit_debt_coverage))',
      struct_pack(limit_list_price, limit_target_cap, limit_debt_coverage),
      offer_high
    ),
    step(
      'variable_expense_ratio_pct',
      'round2(variable_expenses / effective_gross_income * 100)',
      struct_pack(variable_expenses, effective_gross_income),
      variable_expense_ratio_pct
    ),
    step(
      'limit_under_stress',
      'floor_to(max(0, floor_to(max(0, offer_noi / (target_cap_pct / 100)'
        || ' * ((1 + stress_rent) * (1 - vacancy_pct / 100 - stress_vacancy)'
        || ' * (1 - variable_expense_ratio_pct / 100 - stress_expenses)'
        || ' - (expense_ratio_pct - variable_expense_ratio_pct) / 100 * (1 - vacancy_pct / 100))'
        || ' / (1 - vacancy_pct / 100) / (1 - expense_ratio_pct / 100)), 1) - upfront_repairs), offer_step)',
      struct_pack(
        offer_noi, target_cap_pct, stress_rent, vacancy_pct, stress_vacancy, expense_ratio_pct,
        variable_expense_ratio_pct, stress_expenses, upfront_repairs, offer_step
      ),
      limit_under_stress
    ),
    step('offer_low', 'min(offer_high, limit_under_stress)', struct_pack(offer_high, limit_under_stress), offer_low)
  ]) as steps
from texts
cross join terms

-- One row per deal: its report. The broker's claim against HUD's underwriting, the debt, a grid of what-ifs, the offer
-- with its limits, distress, the paths, and every figure as a formula over named inputs.

select
  deals.id,

  -- The claim against the underwriting
  json_object(
    'status', case
      when underwriting.claimed_noi is not null and deals.noi_underwritten is not null then 'compared'
      when deals.noi_underwritten is not null then 'no_claim'
      when underwriting.claimed_noi is not null or deals.cap_rate is not null
        then 'no_underwriting'
      else 'neither'
    end,
    'claim_basis', case when underwriting.claimed_noi is null then 'none' else deals.noi_source end,
    'claim_consistency', deals.claim_consistency,
    'reliability', deals.underwrite_reliability,
    'reliability_reason', deals.underwrite_reason,
    'lines', json_array(
      compared_line(
        'noi', underwriting.claimed_noi, deals.noi_underwritten,
        rounded(underwriting.claimed_noi - deals.noi_underwritten)
      ),
      compared_line(
        'cap_rate_pct', coalesce(deals.cap_rate, deals.cap_rate_derived), deals.cap_rate_underwritten, deals.cap_gap_pct
      ),
      compared_line(
        'dscr', coverage.claimed_dscr, deals.dscr_underwritten, rounded(coverage.claimed_dscr - deals.dscr_underwritten)
      )
    )
  ) as comparison,

  -- Debt
  json_object(
    'status', deals.dscr_status,
    'reason', deals.dscr_reason,
    'bank', json_object(
      'loan_to_value', assumption('loan_to_value'),
      'rate_pct', as_text(rates.loan_rate_pct),
      'rate_basis', rates.loan_rate_basis,
      'rate_series', rates.loan_rate_series,
      'rate_on', as_text(rates.loan_rate_on),
      'rate_source_url', rates.loan_rate_source_url,
      'rate_is_made_up', rates.loan_rate_is_made_up,
      'years', rates.loan_years,
      'minimum_loan', assumption('minimum_loan'),
      'loan_amount', as_text(deals.loan_amount),
      'monthly_payment', as_text(deals.monthly_payment),
      'annual_debt_service', as_text(deals.annual_debt_service)
    ),
    'sized', json_object(
      'coverage', assumption('loan_coverage'),
      'closing_cost_share', assumption('closing_cost_share'),
      'net_cash_flow', as_text(deals.net_cash_flow),
      'loan_amount', as_text(deals.loan_sized),
      'binding', deals.loan_binding,
      'annual_debt_service', as_text(deals.debt_service_sized),
      'cash_flow_after_debt', as_text(deals.cash_flow_after_debt),
      'cash_needed', as_text(deals.cash_needed),
      'cash_on_cash_pct', as_text(deals.cash_on_cash_pct)
    ),
    'seller', json_object(
      'down_share', assumption('seller_down_share'),
      'rate_pct', assumption('seller_rate_pct'),
      'years', cast(assumption('seller_years') as integer),
      'loan_amount', as_text(underwriting.seller_loan),
      'monthly_payment', as_text(underwriting.seller_payment),
      'annual_debt_service', as_text(underwriting.seller_debt_service)
    )
  ) as debt_terms,

  sensitivity.sensitivity,

  -- Offer
  json_object(
    'status', deals.offer_status,
    'target_cap_pct', assumption('target_cap_pct'),
    'noi_basis', offers.offer_basis,
    'low', as_text(deals.offer_low),
    'high', as_text(deals.offer_high),
    'high_binding', deals.offer_binding,
    'low_binding', case
      when deals.offer_low < deals.offer_high then 'stress'
      when deals.offer_low = deals.offer_high then 'high'
    end,
    'range_basis', deals.offer_range_basis,
    'upfront_repairs', case when deals.offer_high is not null then as_text(scores.upfront_repairs) end,
    'ask_at_or_below_target_value', deals.ask_at_or_below_target_value,
    'constraints', case when deals.offer_high is null then '[]'::json else json_array(
      offer_limit('list_price', deals.list_price, deals.offer_binding),
      offer_limit('target_cap', offers.limit_target_cap, deals.offer_binding),
      offer_limit('debt_coverage', offers.limit_debt_coverage, deals.offer_binding)
    ) end,
    'at_high', json_object(
      'tax', as_text(offers.offer_tax),
      'noi', as_text(offers.offer_noi),
      'cap_pct', as_text(offers.offer_cap_pct),
      'annual_debt_service', as_text(offers.offer_debt_service),
      'dscr', as_text(offers.offer_dscr)
    )
  ) as offer,

  deals.distress_matches,
  json_object(
    'rental', deals.rental_rationale,
    'wholesale', deals.wholesale_rationale,
    'creative_finance', deals.creative_finance_rationale
  ) as paths,

  -- Every figure as a formula
  steps.steps as recompute,
  deals.assumption_set_id
from deals
cross join int_loan_rates as rates
join int_debt_coverage as coverage on coverage.id = deals.id
join int_underwriting as underwriting on underwriting.id = deals.id
join int_offers as offers on offers.id = deals.id
join int_sensitivity as sensitivity on sensitivity.id = deals.id
join int_scores as scores on scores.id = deals.id
join int_steps as steps on steps.id = deals.id
where in_slice(deals.id) and in_slice(sensitivity.id) and in_slice(steps.id)

-- audit one_a_deal: every deal has a report, and every report has a deal
select id from deals full join reports using (id) where deals.id is null or reports.id is null;
-- audit offer_agrees: the offer is the deal's, and its high end is the least of its constraints, rounded down to a step
select id, offer from reports join deals using (id)
where (offer ->> 'high') is distinct from cast(offer_high as varchar)
  or offer_high <> (
    select down_to(min(cast(value ->> 'figure' as decimal(14, 2))), any_value(offer_step))
    from json_each(offer -> 'constraints') cross join terms);
-- audit grid_whole: a computed grid has every combination
select id from reports
where (sensitivity ->> 'status') = 'computed'
  and json_array_length(sensitivity -> 'cells') <> (
    select count(*) filter (where key like 'grid_rent%')
      * count(*) filter (where key like 'grid_vac%')
      * count(*) filter (where key like 'grid_exp%')
    from assumptions);

-- One row per trust, loan, property and month of the statements of multifamily loans.
-- Key: source, trust, asset_number, property_number, reported_on

select
  trust,
  asset_number,
  property_number,
  reported_on,
  property_type,
  city,
  state,
  zip,
  units,
  year_built,
  property_count,
  valuation,
  valuation_on,
  underwritten_revenue,
  underwritten_expenses,
  underwritten_noi,
  underwritten_ncf,
  underwritten_occupancy_pct,
  underwritten_coverage,
  recent_revenue,
  recent_expenses,
  recent_noi,
  recent_ncf,
  recent_starts_on,
  recent_ends_on,
  recent_period,
  recent_occupancy_pct,
  recent_coverage,
  loan_amount,
  interest_rate_pct,
  amortization_months,
  interest_only_months,
  accrual_method,
  source,
  source_url,
  observed_at,
  page_sha256
from staged_loan_statement;

-- warning noi_adds_up: the underwritten NOI is revenue less expenses, to the dollar
select * from stg_loan_statements
where abs(underwritten_revenue - underwritten_expenses - underwritten_noi) > 1;

-- warning statement_in_order: a statement begins before it ends
select * from stg_loan_statements
where recent_starts_on > recent_ends_on;

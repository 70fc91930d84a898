-- Payments of loans. Factors have twenty decimals; a payment is rounded to the cent, and a year has twelve of it.

CREATE OR REPLACE MACRO payment_of(loan, monthly_factor) AS -- reads as round2(loan * monthly_factor)
  rounded(loan * CAST(monthly_factor AS DECIMAL(22, 20)));

-- Whole days from one day to another.
CREATE OR REPLACE MACRO age_in_days(day, as_of) AS CAST(date_diff('day', day, as_of) AS INTEGER);

-- Message for a loan whose factors are unknown. A wrong rate stops the build: every figure of debt follows from it.
CREATE OR REPLACE MACRO not_in_loan_factors(rate_pct, years) AS
  'The table loan_factors has no loan at ' || rate_pct || ' % over ' || years || ' years. '
  || 'Check the survey rate, or set loan_rate_pct in ASSUMPTIONS_FILE';

-- The figures of a report's grid. Reports publish the bodies as formulas, with the names of the parameters.
CREATE OR REPLACE MACRO grid_monthly_payment(loan_amount, monthly_factor) AS payment_of(loan_amount, monthly_factor);
CREATE OR REPLACE MACRO grid_annual_debt_service(months_per_year, monthly_payment) AS
  rounded(months_per_year * monthly_payment);
CREATE OR REPLACE MACRO grid_noi(
  gross_potential_rent, rent_change, vacancy, management_share, fixed_expenses, effective_gross_income, expense_change
) AS total(
  rounded(wide(gross_potential_rent) * (1 + rent_change) * (1 - vacancy))
  - rounded(wide(rounded(wide(gross_potential_rent) * (1 + rent_change) * (1 - vacancy))) * management_share)
  - fixed_expenses
  - rounded(wide(effective_gross_income) * expense_change)
);
CREATE OR REPLACE MACRO grid_cap_rate_pct(noi, list_price) AS percentage(noi, list_price);
CREATE OR REPLACE MACRO grid_dscr(noi, annual_debt_service) AS quotient(noi, annual_debt_service);

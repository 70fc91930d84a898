-- Payments of loans. Factors have twenty decimals; a payment is rounded to the cent, and a year has twelve of it.

CREATE OR REPLACE MACRO payment_of(loan, monthly_factor) AS -- reads as round2(loan * monthly_factor)
  rounded(loan * CAST(monthly_factor AS DECIMAL(22, 20)));

-- Whole days from one day to another.
CREATE OR REPLACE MACRO age_in_days(day, as_of) AS CAST(date_diff('day', day, as_of) AS INTEGER);

-- Message for a loan whose factors are unknown. A wrong rate stops the build: every figure of debt follows from it.
CREATE OR REPLACE MACRO not_in_loan_factors(rate_pct, years) AS
  'The table loan_factors has no loan at ' || rate_pct || ' % over ' || years || ' years. '
  || 'Check the survey rate, or set loan_rate_pct in ASSUMPTIONS_FILE';

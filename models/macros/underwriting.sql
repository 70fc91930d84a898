-- Rules of underwriting that several models apply.

-- One unit, or land: there is no rental income to underwrite.
CREATE OR REPLACE MACRO has_no_rent(dscr_reason) AS
  coalesce(dscr_reason IN ('single_unit', 'not_income_property'), false);

-- Debt coverage after replacement reserves.
CREATE OR REPLACE MACRO coverage_after_reserves(noi, reserves_per_unit, units, debt_service) AS
  quotient(noi - wide(reserves_per_unit) * units, debt_service);

-- The code of the metropolitan area in the code of a HUD area: METRO17410N17460 is in 17410. Null outside of them.
CREATE OR REPLACE MACRO cbsa_of(hud_area_code) AS
  nullif(regexp_extract(hud_area_code, '^METRO(\d{5})', 1), '');

-- How the ratio of expenses to income compares with the quartiles of buildings of the same size and age.
CREATE OR REPLACE MACRO expense_check_of(income, ratio, q1, q3) AS CASE
  WHEN income IS NULL THEN 'no_income'
  WHEN ratio IS NULL THEN 'no_tax_ratio_of_cell'
  WHEN ratio < q1 THEN 'below_quartiles'
  WHEN ratio > q3 THEN 'above_quartiles'
  ELSE 'within_quartiles' END;

-- The sum of the lines within the quartiles, else income at the nearer quartile; at the typical ratio without a tax.
CREATE OR REPLACE MACRO expenses_that_count(income, lines, ratio, q1, q3, typical) AS
  CASE expense_check_of(income, ratio, q1, q3)
    WHEN 'within_quartiles' THEN lines
    WHEN 'below_quartiles' THEN rounded(wide(income) * q1 * 0.01)
    WHEN 'above_quartiles' THEN rounded(wide(income) * q3 * 0.01)
    WHEN 'no_tax_ratio_of_cell' THEN rounded(wide(income) * typical * 0.01) END;

-- The formula of NOI by that check, for the steps of a report.
CREATE OR REPLACE MACRO noi_formula(expense_check, tax) AS CASE expense_check
  WHEN 'within_quartiles' THEN
    'effective_gross_income - (' || tax || ' + insurance + management + repairs + owner_utilities + other)'
  WHEN 'below_quartiles' THEN 'effective_gross_income - round2(effective_gross_income * expense_q1_pct / 100)'
  WHEN 'above_quartiles' THEN 'effective_gross_income - round2(effective_gross_income * expense_q3_pct / 100)'
  ELSE 'effective_gross_income - round2(effective_gross_income * expense_typical_pct / 100)' END;

-- The status of a path: not Hot if the price indicates the condition of the building.
CREATE OR REPLACE MACRO status_with_risk(status, score_limit) AS
  CASE WHEN status = 'Hot' AND score_limit = 'condition_risk' THEN 'Warm' ELSE status END;

-- The loan that a cash flow carries at the declared coverage, up to the loan that the price needs. A lender rounds it
-- down to a whole dollar. `divisor` is the coverage times the annual constant.
CREATE OR REPLACE MACRO loan_carried_by(cash_flow, loan_amount, divisor) AS
  CAST(CASE WHEN cash_flow > 0 THEN least(loan_amount, quotient_down_to(cash_flow, divisor, 1))
    WHEN cash_flow <= 0 THEN 0 END AS DECIMAL(14, 2));

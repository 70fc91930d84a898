-- Rules of underwriting that several models apply.

-- One unit, or land: there is no rental income to underwrite.
CREATE OR REPLACE MACRO has_no_rent(dscr_reason) AS
  dscr_reason IS NOT NULL AND dscr_reason IN ('single_unit', 'not_income_property');

-- No lender makes a loan: there is no rental income, or the loan is too small.
CREATE OR REPLACE MACRO has_no_loan(dscr_reason) AS
  dscr_reason IS NOT NULL AND dscr_reason IN ('single_unit', 'not_income_property', 'loan_below_minimum');

-- Debt coverage after replacement reserves.
CREATE OR REPLACE MACRO coverage_after_reserves(noi, reserves_per_unit, units, debt_service) AS
  quotient(noi - wide(reserves_per_unit) * units, debt_service);

-- The code of the metropolitan area in the code of a HUD area: METRO17410N17460 is in 17410. Null outside of them.
CREATE OR REPLACE MACRO cbsa_of(hud_area_code) AS
  nullif(regexp_extract(hud_area_code, '^METRO(\d{5})', 1), '');

-- The sum of the lines within the quartiles, else income at the nearer quartile; at the typical ratio without a tax.
CREATE OR REPLACE MACRO expenses_that_count(income, lines, ratio, q1, q3, typical) AS CASE
  WHEN income IS NULL THEN NULL
  WHEN ratio IS NULL THEN rounded(wide(income) * as_share(typical))
  WHEN ratio < q1 THEN rounded(wide(income) * as_share(q1))
  WHEN ratio > q3 THEN rounded(wide(income) * as_share(q3))
  ELSE lines END;

-- A census rent over HUD's rent, within the declared limit and 1. Null without one of the two.
CREATE OR REPLACE MACRO in_place_ratio_of(census_rent, hud_rent, lowest) AS
  CASE WHEN share_of(census_rent, hud_rent) IS NOT NULL
    THEN least(1, greatest(lowest, share_of(census_rent, hud_rent))) END;

-- The status of a path: not Hot if the price indicates the condition of the building.
CREATE OR REPLACE MACRO status_with_risk(status, score_limit) AS
  CASE WHEN status = 'Hot' AND score_limit = 'condition_risk' THEN 'Warm' ELSE status END;

-- The loan that a cash flow carries at the declared coverage, up to the loan that the price needs. A lender rounds it
-- down to a whole dollar. `divisor` is the coverage times the annual constant.
CREATE OR REPLACE MACRO loan_carried_by(cash_flow, loan_amount, divisor) AS CASE
  WHEN cash_flow > 0 THEN least(loan_amount, quotient_down_to(cash_flow, divisor, 1))
  WHEN cash_flow <= 0 THEN 0 END;

-- What an input earns if it is known in part.
CREATE OR REPLACE MACRO partly(weight, share_known) AS -- reads as round2(weight * share_known)
  rounded(weight * share_known);

-- Why an input earns less than its weight: it is known in part, or not at all.
CREATE OR REPLACE MACRO evidence_reason(earned, weight, if_partly, if_assumed) AS CASE
  WHEN earned = weight THEN NULL
  WHEN earned > 0 THEN if_partly
  ELSE if_assumed END;

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

-- The sum of the lines, at least and at most income at the quartiles of the cell; without a tax, at its typical ratio.
CREATE OR REPLACE MACRO expenses_that_count(income, lines, least, most, typical) AS CASE
  WHEN lines IS NULL THEN rounded(wide(income) * as_share(typical))
  WHEN lines < least THEN least
  WHEN lines > most THEN most
  ELSE lines END;

-- The price, in whole dollars, at which NOI less `costs` is `yield` of the price. At a price P, NOI is
-- max(lowest, min(highest, untaxed - tax_per_dollar x P)): one division for each part of the line, then the part that
-- counts.
CREATE OR REPLACE MACRO price_at_yield(lowest, highest, untaxed, tax_per_dollar, costs, yield) AS CASE
  WHEN value_at(lowest - costs, yield) >= value_at(untaxed - costs, yield + tax_per_dollar)
    THEN value_at(lowest - costs, yield)
  WHEN value_at(highest - costs, yield) <= value_at(untaxed - costs, yield + tax_per_dollar)
    THEN value_at(highest - costs, yield)
  ELSE value_at(untaxed - costs, yield + tax_per_dollar) END;
-- The same for the NOI that counts beside a claim: a claim below the underwriting lowers it half way.
CREATE OR REPLACE MACRO price_beside_claim(claim, lowest, highest, untaxed, tax_per_dollar, costs, yield) AS CASE
  WHEN price_at_yield(lowest + claim, highest + claim, untaxed + claim, tax_per_dollar, 2 * costs, 2 * yield)
    < price_at_yield(lowest, highest, untaxed, tax_per_dollar, costs, yield)
    THEN price_at_yield(lowest + claim, highest + claim, untaxed + claim, tax_per_dollar, 2 * costs, 2 * yield)
  ELSE price_at_yield(lowest, highest, untaxed, tax_per_dollar, costs, yield) END;
-- The same for the NOI of an offer. A claim is the only NOI, at any price, if HUD's rent does not fit.
CREATE OR REPLACE MACRO offer_price(
  income, noi_scoring, claim, lowest, highest, untaxed, tax_per_dollar, costs, yield
) AS CASE
  WHEN income IS NULL THEN NULL
  WHEN noi_scoring IS NULL THEN value_at(claim - costs, yield)
  WHEN claim IS NULL THEN price_at_yield(lowest, highest, untaxed, tax_per_dollar, costs, yield)
  ELSE price_beside_claim(claim, lowest, highest, untaxed, tax_per_dollar, costs, yield) END;
CREATE OR REPLACE MACRO noi_at_price(lowest, highest, untaxed, tax_per_dollar, price) AS
  greatest(lowest, least(highest, rounded(untaxed - wide(price) * tax_per_dollar)));

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

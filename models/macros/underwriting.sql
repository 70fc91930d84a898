-- Rules of underwriting that several models apply.

-- One unit, or land: there is no rental income to underwrite.
CREATE OR REPLACE MACRO has_no_rent(dscr_reason) AS
  dscr_reason IS NOT NULL AND dscr_reason IN ('single_unit', 'not_income_property');

-- No lender makes a loan: there is no rental income, or the loan is too small.
CREATE OR REPLACE MACRO has_no_loan(dscr_reason) AS
  dscr_reason IS NOT NULL AND dscr_reason IN ('single_unit', 'not_income_property', 'loan_below_minimum');

-- The code of the metropolitan area in the code of a HUD area: METRO17410N17460 is in 17410. Null outside of them.
CREATE OR REPLACE MACRO cbsa_of(hud_area_code) AS
  nullif(regexp_extract(hud_area_code, '^METRO(\d{5})', 1), '');

-- The price, in whole dollars, at which NOI less `costs` is `yield` of the price. At a price P, NOI is
-- min(highest, untaxed - tax_per_dollar x P): one division for each part of the line, then the part that counts.
CREATE OR REPLACE MACRO price_at_yield(highest, untaxed, tax_per_dollar, costs, yield) AS
  least(value_at(highest - costs, yield), value_at(untaxed - costs, yield + tax_per_dollar));
-- The same for the NOI of an offer: a claim below the underwriting lowers it half way. A claim is the only NOI, at any
-- price, if HUD's rent does not fit.
CREATE OR REPLACE MACRO offer_price(income, is_underwritten, claim, highest, untaxed, tax_per_dollar, costs, yield) AS
  CASE
  WHEN income IS NULL THEN NULL
  WHEN NOT is_underwritten THEN value_at(claim - costs, yield)
  WHEN claim IS NULL THEN price_at_yield(highest, untaxed, tax_per_dollar, costs, yield)
  ELSE least(
    price_at_yield(highest, untaxed, tax_per_dollar, costs, yield),
    price_at_yield(highest + claim, untaxed + claim, tax_per_dollar, 2 * costs, 2 * yield)
  ) END;
CREATE OR REPLACE MACRO noi_at_price(highest, untaxed, tax_per_dollar, price) AS
  least(highest, rounded(untaxed - wide(price) * tax_per_dollar));

-- What owners earn in percent of the price, given our cap rate between two knots of the survey. Above the last knot
-- they earn no more, as a higher cap rate is our optimism; below the first, the difference to our cap rate stays.
CREATE OR REPLACE MACRO owners_rate(cap, cap_from, cap_to, rate_from, rate_to) AS CASE
  WHEN cap < cap_from THEN total(rate_from + cap - cap_from)
  WHEN cap >= cap_from AND cap_to IS NULL THEN rate_from
  ELSE rounded(rate_from + wide(rate_to - rate_from) * share_of(cap - cap_from, cap_to - cap_from)) END;

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

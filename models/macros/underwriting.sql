-- Rules of underwriting that several models apply.

-- One unit, or land: there is no rental income to underwrite.
CREATE OR REPLACE MACRO has_no_rent(dscr_reason) AS
  coalesce(dscr_reason IN ('single_unit', 'not_income_property'), false);

-- Rent of a year if every unit is let, from HUD's rent less the utilities it includes. Not rounded.
CREATE OR REPLACE MACRO potential_rent(units, market_rent, utility_share, months_per_year) AS
  wide(units) * market_rent * (1 - utility_share) * months_per_year;

-- Debt coverage after replacement reserves.
CREATE OR REPLACE MACRO coverage_after_reserves(noi, reserves_per_unit, units, debt_service) AS
  quotient(noi - wide(reserves_per_unit) * units, debt_service);

-- Exact arithmetic. DuckDB divides decimals as binary floats; these divide whole numbers instead, and round
-- once, half away from zero. Pure: no macro reads a table, the clock or a setting.

-- A first factor: products of narrow decimals overflow, since DuckDB gives them no more than 18 digits.
CREATE OR REPLACE MACRO wide(x) AS CAST(x AS DECIMAL(38, 2));

-- Two decimals, half away from zero: the form in which money, percents and ratios are shown.
CREATE OR REPLACE MACRO rounded(x) AS CAST(round(x, 2) AS DECIMAL(14, 2));

-- n / d to the nearest whole number. Whole numbers in and out; null where d is 0.
CREATE OR REPLACE MACRO nearest(n, d) AS
  CASE WHEN d <> 0 THEN sign(n) * sign(d) * ((2 * abs(n) + abs(d)) // (2 * abs(d))) END;

-- A decimal in millionths, as a whole number.
CREATE OR REPLACE MACRO millionths(x) AS
  CAST(CAST(x AS DECIMAL(32, 6)) * 1000000 AS HUGEINT);

-- A whole number of hundredths as a decimal with two places.
CREATE OR REPLACE MACRO from_hundredths(n) AS
  CAST(CAST(n AS DECIMAL(36, 0)) * 0.01 AS DECIMAL(14, 2));

-- n / d with two decimals.
CREATE OR REPLACE MACRO quotient(n, d) AS
  from_hundredths(nearest(100 * millionths(n), millionths(d)));

-- n / d in percent with two decimals.
CREATE OR REPLACE MACRO percentage(n, d) AS
  from_hundredths(nearest(10000 * millionths(n), millionths(d)));

-- n / d as a whole number.
CREATE OR REPLACE MACRO whole_quotient(n, d) AS
  CAST(nearest(millionths(n), millionths(d)) AS INTEGER);

-- Points that a value earns: nothing up to `bottom`, all of the whole number `weight` from `bottom + span` on.
-- Null where the value is: least and greatest of DuckDB pass a null over.
CREATE OR REPLACE MACRO points(value, bottom, span, weight) AS CASE WHEN value IS NOT NULL THEN
  CAST(nearest(weight * greatest(0, least(millionths(value) - millionths(bottom), millionths(span))), millionths(span)) AS INTEGER) END;

-- n / d rounded up to the cent, for amounts that a law says must be "not less than". Positive amounts.
CREATE OR REPLACE MACRO quotient_up_to_cent(n, d) AS
  from_hundredths((100 * millionths(n) + millionths(d) - 1) // millionths(d));

-- n / d rounded down to a whole multiple of `step`. Positive amounts; both may have up to 24 decimals.
CREATE OR REPLACE MACRO at_24_decimals(x) AS
  CAST(replace(CAST(CAST(x AS DECIMAL(38, 24)) AS VARCHAR), '.', '') AS HUGEINT);
CREATE OR REPLACE MACRO quotient_down_to(n, d, step) AS
  CAST(at_24_decimals(n) // (at_24_decimals(d) * step) * step AS DECIMAL(14, 2));

-- A value as text for JSON, where decimals are strings.
CREATE OR REPLACE MACRO said(x) AS CAST(x AS VARCHAR);

-- An instant as text.
CREATE OR REPLACE MACRO instant_text(t) AS strftime(t, '%Y-%m-%dT%H:%M:%SZ');

-- Dollars for a sentence: "$92,500", or "$3,750.25" where there are cents.
CREATE OR REPLACE MACRO dollars(x) AS
  '$' || format('{:,}', CAST(trunc(x) AS BIGINT)) || CASE WHEN x = trunc(x) THEN '' ELSE right(CAST(x AS VARCHAR), 3) END;

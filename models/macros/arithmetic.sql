-- Exact arithmetic. DuckDB divides decimals as binary floats; these divide whole numbers instead, and round
-- once, half away from zero. Pure: no macro reads a table, the clock or a setting.
--
-- "reads as" after AS is the meaning of a macro in the formulas of reports: + - * / ( ), min, max, clamp (to 0..1),
-- round0 and round2 (half away from zero) and floor_to (down to a multiple).

-- A first factor for products: DuckDB multiplies narrow decimals within 18 digits, so they overflow.
CREATE OR REPLACE MACRO wide(x) AS -- reads as x
  CAST(x AS DECIMAL(38, 2));

-- Two decimals, half away from zero: the form in which money, percents and ratios are shown.
CREATE OR REPLACE MACRO rounded(x) AS -- reads as round2(x)
  CAST(round(x, 2) AS DECIMAL(14, 2));

-- A sum or difference of amounts, which has their two decimals.
CREATE OR REPLACE MACRO total(x) AS -- reads as x
  CAST(x AS DECIMAL(14, 2));

-- A percent as a share, and a share as a percent with two decimals.
CREATE OR REPLACE MACRO as_share(pct) AS -- reads as pct / 100
  (pct * 0.01);
CREATE OR REPLACE MACRO in_percent(share) AS -- reads as round2(share * 100)
  rounded(share * 100);

-- A factor below 100 with four decimals, in products of several.
CREATE OR REPLACE MACRO narrow(x) AS -- reads as x
  CAST(x AS DECIMAL(6, 4));

CREATE OR REPLACE MACRO half(x) AS -- reads as x / 2
  (x * 0.5);

-- A whole number, half away from zero, up to a limit. Far above it, no whole number of 32 bits is as large.
CREATE OR REPLACE MACRO whole_up_to(most, x) AS -- reads as min(most, round0(x))
  CAST(least(most, round(x)) AS INTEGER);

-- n / d to the nearest whole number. Whole numbers in and out; null where d is 0.
CREATE OR REPLACE MACRO nearest(n, d) AS
  (2 * n + sign(n) * abs(d)) // (2 * d);

-- A decimal in millionths, as a whole number.
CREATE OR REPLACE MACRO millionths(x) AS
  CAST(CAST(x AS DECIMAL(32, 6)) * 1000000 AS HUGEINT);

-- An amount of whole cents below a million millions, as most are, and such an amount in cents. Whole numbers of 64 bits
-- divide twenty times as fast as those of 128.
CREATE OR REPLACE MACRO is_in_cents(x) AS TRY_CAST(x AS DECIMAL(14, 2)) = x;
CREATE OR REPLACE MACRO cents(x) AS CAST(CAST(x AS DECIMAL(14, 2)) * 100 AS BIGINT);

-- times * n / d to the nearest whole number, for `times` up to 10000.
CREATE OR REPLACE MACRO nearest_ratio(n, d, times) AS CASE
  WHEN is_in_cents(n) AND is_in_cents(d) THEN nearest(times * cents(n), cents(d))
  ELSE CAST(nearest(times * millionths(n), millionths(d)) AS BIGINT) END;

-- A whole number of hundredths as a decimal with two places.
CREATE OR REPLACE MACRO from_hundredths(n) AS
  CAST(CAST(n AS DECIMAL(16, 0)) * 0.01 AS DECIMAL(14, 2));

-- n / d with two decimals.
CREATE OR REPLACE MACRO quotient(n, d) AS -- reads as round2(n / d)
  from_hundredths(nearest_ratio(n, d, 100));

-- n / d in percent with two decimals.
CREATE OR REPLACE MACRO percentage(n, d) AS -- reads as round2(n / d * 100)
  from_hundredths(nearest_ratio(n, d, 10000));

-- n / d as a whole number.
CREATE OR REPLACE MACRO whole_quotient(n, d) AS -- reads as round0(n / d)
  CAST(nearest_ratio(n, d, 1) AS INTEGER);

-- Points that a value earns: none up to `bottom`, the whole number `weight` from `bottom + span` on. Null if the value
-- is null, although least and greatest of DuckDB skip nulls.
CREATE OR REPLACE MACRO points(value, bottom, span, weight) AS
  -- reads as round0(weight * clamp((value - bottom) / span))
  CASE WHEN value IS NOT NULL THEN
    CAST(nearest_ratio(greatest(0, least(value - bottom, span)), span, weight) AS INTEGER) END;

-- Position of a value between `bottom` and `bottom + span`, in percent with two decimals: 0.00 up to the first, 100.00
-- from the second on. Null if the value is null.
CREATE OR REPLACE MACRO share_pct(value, bottom, span) AS -- reads as round2(100 * clamp((value - bottom) / span))
  CASE WHEN value IS NOT NULL THEN
    percentage(greatest(0, least(value - bottom, span)), span) END;

-- The same on the way down: 100.00 up to `top - span`, 0.00 from `top` on.
CREATE OR REPLACE MACRO share_below_pct(value, top, span) AS -- reads as round2(100 * clamp((top - value) / span))
  share_pct(top - value, 0, span);

-- Points of a score from 0 to 100.
CREATE OR REPLACE MACRO points_of(score, weight) AS -- reads as round0(weight * score / 100)
  CAST(nearest_ratio(weight * score, 100, 1) AS INTEGER);

-- Points that a value earns if only `share` percent of them count. Null if the value or the share is null.
CREATE OR REPLACE MACRO tapered_points(value, bottom, span, weight, share) AS
  -- reads as round0(weight * clamp((value - bottom) / span) * share / 100)
  CASE WHEN value IS NOT NULL AND share IS NOT NULL THEN
    CAST(nearest_ratio(wide(greatest(0, least(value - bottom, span))) * share, wide(span) * 100, weight)
      AS INTEGER) END;

-- n / d rounded up to the cent, for amounts that by law must be "not less than" a figure. Positive amounts.
CREATE OR REPLACE MACRO quotient_up_to_cent(n, d) AS -- reads as ceil2(n / d)
  from_hundredths((100 * millionths(n) + millionths(d) - 1) // millionths(d));

-- n / d rounded down to a whole multiple of `step`. Positive amounts; both may have up to 24 decimals.
CREATE OR REPLACE MACRO at_24_decimals(x) AS
  CAST(replace(CAST(CAST(x AS DECIMAL(38, 24)) AS VARCHAR), '.', '') AS HUGEINT);
CREATE OR REPLACE MACRO quotient_down_to(n, d, step) AS -- reads as floor_to(n / d, step)
  CAST(at_24_decimals(n) // (at_24_decimals(d) * step) * step AS DECIMAL(14, 2));

-- An income at a yield, in whole dollars. Null if the income is null.
CREATE OR REPLACE MACRO value_at(income, yield) AS -- reads as floor_to(max(0, income) / yield, 1)
  CASE WHEN income IS NOT NULL THEN quotient_down_to(greatest(0, income), yield, 1) END;

-- x rounded down to a whole multiple of `step`. Positive amounts.
CREATE OR REPLACE MACRO down_to(x, step) AS -- reads as floor_to(x, step)
  quotient_down_to(x, 1, step);

-- Four decimals, half away from zero.
CREATE OR REPLACE MACRO to_four_decimals(x) AS -- reads as round4(x)
  CAST(round(x, 4) AS DECIMAL(16, 4));

-- n / d as a share with four decimals.
CREATE OR REPLACE MACRO share_of(n, d) AS -- reads as round4(n / d)
  CAST(CAST(nearest_ratio(n, d, 10000) AS DECIMAL(16, 0)) * 0.0001 AS DECIMAL(16, 4));

-- Weight of the figure at a knot for a value between knots: 1 at the knot, falling to 0 at its neighbors, and 1 beyond
-- the outermost knots.
CREATE OR REPLACE MACRO weight_of_knot(x, before, knot, after) AS CASE
  WHEN x <= knot AND before IS NULL OR x > knot AND after IS NULL THEN 1
  WHEN x <= knot THEN greatest(0, share_of(x - before, knot - before))
  WHEN x > knot THEN greatest(0, 1 - share_of(x - knot, after - knot)) END;

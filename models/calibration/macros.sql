-- Weighted statistics in exact arithmetic. A weight is a whole number of ten-billionths, since the survey publishes ten
-- decimals; sums and squares of weights are whole numbers too.

-- A declared number or text of the calibration.
CREATE OR REPLACE MACRO parameter(name) AS (SELECT value FROM calibration_parameters WHERE key = name);

CREATE OR REPLACE MACRO exact_weight(weight) AS CAST(CAST(weight AS DECIMAL(18, 10)) * 10000000000 AS BIGINT);

-- An amount as the survey publishes it: -9 is not reported, -8 not applicable.
CREATE OR REPLACE MACRO answer(x) AS
  CASE x WHEN '-9' THEN NULL WHEN '-8' THEN 0 ELSE CAST(x AS DECIMAL(14, 2)) END;

-- The sizes whose properties are counted together where a line of expenses is measured.
CREATE OR REPLACE MACRO pooled_size(size) AS CASE WHEN size IN ('5_12', '13_24') THEN '5_24' ELSE size END;

-- n / d with six decimals.
CREATE OR REPLACE MACRO ratio_6(n, d) AS
  CAST(CAST(nearest(1000000 * millionths(n), millionths(d)) AS DECIMAL(18, 0)) * 0.000001 AS DECIMAL(18, 6));

-- n / d with one decimal.
CREATE OR REPLACE MACRO ratio_1(n, d) AS CAST(CAST(nearest(10 * n, d) AS DECIMAL(12, 0)) * 0.1 AS DECIMAL(13, 1));

-- An amount a unit with six decimals; units are whole.
CREATE OR REPLACE MACRO amount_per_unit(amount, units) AS ratio_6(amount, units);

-- Whole ten-thousandths of n / d, and what is left. Whole numbers of up to 30 digits.
CREATE OR REPLACE MACRO ten_thousandths(n, d) AS CAST(10000 * CAST(n AS HUGEINT) // d AS BIGINT);
CREATE OR REPLACE MACRO remainder_of_ten_thousandths(n, d) AS 10000 * CAST(n AS HUGEINT) % d;
CREATE OR REPLACE MACRO from_ten_thousandths(x) AS
  CAST(CAST(x AS DECIMAL(16, 0)) * 0.0001 AS DECIMAL(16, 4));

-- The square of 10000 x the square root of n / d, as a whole number.
CREATE OR REPLACE MACRO squared_ten_thousandths(n, d) AS nearest(100000000 * CAST(n AS HUGEINT), d);

-- A figure of the census. Null where none is published, or only that it is above the highest class.
CREATE OR REPLACE MACRO census_figure(x, top) AS
  CASE WHEN x IS NULL OR x IN (parameter('census_missing'), parameter(top)) THEN NULL
  ELSE CAST(x AS DECIMAL(14, 2)) END;

-- Expenses that a buyer pays even if this owner does not: owners without them are left out.
CREATE OR REPLACE MACRO is_counted_where_paid(line) AS line IN ('insurance', 'management');

-- Four decimals, half away from zero.
CREATE OR REPLACE MACRO rounded_4(x) AS CAST(round(x, 4) AS DECIMAL(14, 4));

-- The effective sample size: the number of equally weighted properties that would be as informative.
CREATE OR REPLACE MACRO effective_n(sum_of_weights, sum_of_squares) AS
  ratio_1(sum_of_weights * sum_of_weights, sum_of_squares);

-- Weighted quartiles of a table with the columns cell, value and weight, one row per cell. A quartile is the least
-- value such that the values up to it have at least its share of the weight. Always a published value, never
-- interpolated.
CREATE OR REPLACE MACRO weighted_quartiles(table_name) AS TABLE
WITH cumulated AS (
  SELECT
    cell,
    value,
    weight,
    sum(weight) OVER (PARTITION BY cell ORDER BY value) AS up_to,
    sum(weight) OVER (PARTITION BY cell) AS total
  FROM query_table(table_name)
)
SELECT
  cell,
  CAST(count(*) AS INTEGER) AS n,
  effective_n(sum(weight), sum(CAST(weight AS HUGEINT) * weight)) AS n_eff,
  min(value) FILTER (4 * up_to >= total) AS q1,
  min(value) FILTER (2 * up_to >= total) AS median,
  min(value) FILTER (4 * up_to >= 3 * total) AS q3
FROM cumulated
GROUP BY cell;

-- The mean of a figure and its prior, where the prior counts as so many properties.
CREATE OR REPLACE MACRO drawn_toward(prior, figure, n_eff, prior_n) AS
  share_of(n_eff * figure + prior_n * prior, n_eff + prior_n);

-- The whole number nearest to the square root of n, checked exactly around the binary estimate.
CREATE OR REPLACE MACRO nearest_root(n) AS list_filter(
  [CAST(floor(sqrt(n)) AS BIGINT) - 1, CAST(floor(sqrt(n)) AS BIGINT), CAST(floor(sqrt(n)) AS BIGINT) + 1],
  lambda k: (2 * k - 1) * (2 * k - 1) <= 4 * n AND 4 * n < (2 * k + 1) * (2 * k + 1)
)[1];

-- The lower median of a list.
CREATE OR REPLACE MACRO median_ratio(ratios) AS list_sort(ratios)[(len(ratios) + 1) // 2];

-- A statement of 350 to 380 days.
CREATE OR REPLACE MACRO is_whole_year(starts_on, ends_on) AS ends_on - starts_on BETWEEN 349 AND 379;

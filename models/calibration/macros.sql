-- Statistics of the calibration, and forms of its files. Sums of weights are exact decimals, so results do not depend
-- on the order of the rows; one division of each is binary and rounded.

-- An amount as the survey publishes it: -9 is not reported, -8 not applicable.
CREATE OR REPLACE MACRO answer(x) AS CASE x WHEN '-9' THEN NULL WHEN '-8' THEN 0 ELSE CAST(x AS DECIMAL(14, 2)) END;

-- n / d with six decimals.
CREATE OR REPLACE MACRO ratio_6(n, d) AS CAST(round(CAST(n AS DOUBLE) / CAST(d AS DOUBLE), 6) AS DECIMAL(18, 6));
CREATE OR REPLACE MACRO rounded_4(x) AS CAST(round(x, 4) AS DECIMAL(14, 4));

-- A figure of the census: -666666666 is missing, `top` stands for all that is above the highest class.
CREATE OR REPLACE MACRO census_figure(x, top) AS
  CASE WHEN x NOT IN ('-666666666', top) THEN CAST(x AS DECIMAL(14, 2)) END;

-- Consumer prices of 2024 over 2011 (CPI-U: 313.7 over 224.9).
CREATE OR REPLACE MACRO price_factor() AS 1.3900;

-- The effective sample size: the number of equally weighted properties that would be as informative.
CREATE OR REPLACE MACRO effective_n(sum_of_weights, sum_of_squares) AS
  CAST(round(CAST(sum_of_weights AS DOUBLE) * sum_of_weights / sum_of_squares, 1) AS DECIMAL(13, 1));

-- The mean of a figure and its prior, where the prior counts as 30 properties.
CREATE OR REPLACE MACRO drawn_toward(prior, figure, n_eff) AS share_of(n_eff * figure + 30 * prior, n_eff + 30);

-- Weighted statistics of a table with the columns cell, value and weight, one row per cell. The median is the least
-- value at which the values up to it have half of the weight: a published value, never interpolated. The mean counts
-- the highest 2 % of the weight as the value at which they begin.
CREATE OR REPLACE MACRO weighted_statistics(table_name) AS TABLE
WITH cumulated AS (
  SELECT
    *,
    sum(weight) OVER (PARTITION BY cell ORDER BY value) AS up_to,
    sum(weight) OVER (PARTITION BY cell) AS total
  FROM query_table(table_name)
),

topped AS (
  SELECT *, min(CASE WHEN 100 * up_to >= 98 * total THEN value END) OVER (PARTITION BY cell) AS top FROM cumulated
)

SELECT
  cell,
  CAST(count(*) AS INTEGER) AS n,
  effective_n(sum(weight), sum(weight * weight)) AS n_eff,
  min(value) FILTER (2 * up_to >= total) AS median,
  ratio_6(sum(weight * least(value, top)), sum(weight)) AS mean
FROM topped
GROUP BY cell;

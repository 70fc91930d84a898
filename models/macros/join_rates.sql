-- Thresholds below which a source's join share indicates a problem.

-- Too few rows to judge a share.
CREATE OR REPLACE MACRO are_enough(rows_of_source) AS rows_of_source >= 25;

-- A share below six tenths of the previous one.
CREATE OR REPLACE MACRO has_fallen(share_pct, before_pct) AS 100 * share_pct < 60 * before_pct;

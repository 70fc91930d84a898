-- When the share of a source's rows that join others means something is wrong.

-- Fewer rows say too little.
CREATE OR REPLACE MACRO are_enough(rows_of_source) AS rows_of_source >= 25;

-- A share below six tenths of the one before.
CREATE OR REPLACE MACRO has_fallen(share_pct, before_pct) AS 100 * share_pct < 60 * before_pct;

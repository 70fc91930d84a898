-- The value of a declared assumption, as text. Null where the set has no such key.
CREATE OR REPLACE MACRO assumption(wanted) AS (SELECT value FROM declared_assumptions WHERE key = wanted);

-- One figure of a report that anybody can make again: formula over named inputs, and the result. Formulas know
-- + - * / and parentheses, min, max, clamp (to 0..1), round0 and round2 (half away from zero) and floor_to
-- (down to a whole multiple). Null where there is no result.
CREATE OR REPLACE MACRO step(figure, formula, inputs, result) AS
  CASE WHEN result IS NOT NULL THEN json_object('figure', figure, 'formula', formula, 'inputs', inputs, 'result', CAST(result AS VARCHAR)) END;

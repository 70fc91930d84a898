-- Figures of a report that readers can recompute.

-- One figure: a formula over named inputs, and the result. `inputs` is a struct of texts. Formulas may use + - * / and
-- parentheses, min, max, clamp (to 0..1), round0, round2 and round4 (half away from zero) and floor_to (down to a
-- whole multiple).
CREATE OR REPLACE MACRO step(figure, formula, inputs, result) AS
  json_object('figure', figure, 'formula', formula, 'inputs', inputs, 'result', CAST(result AS VARCHAR));

-- The same of a formula that a comparison chose.
CREATE OR REPLACE MACRO chosen_step(figure, formula, inputs, result, comparison) AS
  json_object(
    'figure', figure, 'formula', formula, 'when', comparison, 'inputs', inputs, 'result', CAST(result AS VARCHAR)
  );

-- Steps as a list, of the texts of those that have a result, with commas between them.
CREATE OR REPLACE MACRO steps_of(texts) AS CAST(concat('[', texts, ']') AS JSON);

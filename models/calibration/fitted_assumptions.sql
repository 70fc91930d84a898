-- Declared values that the survey gives: the costs of small buildings other than the lines with a table, in dollars of
-- 2024.
SELECT 'other_per_unit_' || size AS key, round(sum(survey_amount) * price_factor())::INTEGER::VARCHAR AS value
FROM ref_expense_lines
WHERE line IN ('payroll', 'grounds', 'security', 'professional', 'other') AND size IN ('2_4', '5_12')
GROUP BY size

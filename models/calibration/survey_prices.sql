-- Bring the dollars of the underwriting to the survey's year: what the survey measured in its own dollars, insurance by
-- its own series.
UPDATE ref_expense_lines SET amount = survey_amount;
UPDATE declared_assumptions SET value = rounded(value::DECIMAL(14, 2) / price_factor())::VARCHAR
WHERE key LIKE 'other_per_unit_%';
UPDATE declared_assumptions SET value = (
  SELECT rounded(12 * real_monthly_cost_per_unit_median::DECIMAL(14, 2) / price_factor())::VARCHAR
  FROM apartment_insurance_file WHERE year = '2011'
) WHERE key = 'insurance_per_unit';

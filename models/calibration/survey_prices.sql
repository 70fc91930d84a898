-- Bring the dollars of the underwriting to the survey's year: the lines measured in the survey in its own dollars,
-- insurance by its own series, other expenses by consumer prices.
UPDATE ref_expense_lines SET amount = survey_amount;

UPDATE declared_assumptions SET value = (
  SELECT rounded(quotient(
    assumption('months_per_year')::DECIMAL(2, 0) * real_monthly_cost_per_unit_median::DECIMAL(14, 2),
    parameter('price_factor')::DECIMAL(6, 4)
  ))::VARCHAR
  FROM apartment_insurance_file
  WHERE year = parameter('survey_year')
) WHERE key = 'insurance_per_unit';

UPDATE declared_assumptions SET value = (
  SELECT quotient(assumption('other_per_unit')::DECIMAL(14, 2), parameter('price_factor')::DECIMAL(6, 4))::VARCHAR
) WHERE key = 'other_per_unit';

-- Insurance a unit by size, relative to 50 units and more, to one decimal.
select
  own.size,
  own.survey_amount,
  round(own.survey_amount::double / base.survey_amount::double, 1)::decimal(14, 4) as factor,
  own.n, own.source, own.as_of
from ref_expense_lines as own
join ref_expense_lines as base on base.size = '50_up' and base.line = own.line
where own.line = 'insurance'

-- Insurance per unit by size, relative to 50 units and more. One decimal: the medians of a few hundred owners support
-- no more.

with

insurance as (select * from expense_lines where line = 'insurance'),

base as (select survey_amount from insurance where size = '50_up')

select
  insurance.size,
  insurance.survey_amount,
  ratio_1(insurance.survey_amount * 100, base.survey_amount * 100)::decimal(14, 4) as factor,
  insurance.n,
  insurance.source,
  insurance.as_of
from insurance
cross join base

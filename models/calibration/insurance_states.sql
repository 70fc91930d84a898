-- Insurance by state: the square root of the state's average homeowners' premium over that of the United States, 1,569.
select
  state,
  ho3_average_premium_2022_usd::decimal(14, 2) as premium,
  round(sqrt(ho3_average_premium_2022_usd::double / 1569), 4)::decimal(16, 4) as factor,
  'NAIC average premium of homeowners (HO-3) by state, 2022' as source,
  date '2022-12-31' as as_of
from state_premiums_file
where state <> 'US'

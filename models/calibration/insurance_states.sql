-- Insurance by state: the square root of the state's average homeowners' premium over the national one.

with

terms as (select parameter('national_premium')::bigint as national_premium)

select
  state,
  ho3_average_premium_2022_usd::decimal(14, 2) as premium,
  from_ten_thousandths(
    nearest_root(squared_ten_thousandths(ho3_average_premium_2022_usd::bigint, national_premium))
  ) as factor,
  parameter('premium_source') as source,
  parameter('premium_as_of')::date as as_of
from state_premiums_file
cross join terms
where state <> 'US'

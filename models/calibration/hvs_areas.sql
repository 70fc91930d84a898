-- Names of areas in the vacancy survey. Since 2026 its table has the names of the census's own tables; the names of
-- earlier tables are declared.

with

names as (
  select regexp_replace(name, ' Metro Area$', '') as area_name, regions.cbsa, regions.region
  from declared_survey_metros as regions
  join census_answers as census on census.cbsa = regions.cbsa
  union
  select earlier_name, cbsa, region
  from declared_survey_metros
  where earlier_name is not null
)

select
  area_name,
  cbsa,
  region,
  parameter('vacancy_source') as source,
  parameter('vacancy_as_of')::date as as_of
from names

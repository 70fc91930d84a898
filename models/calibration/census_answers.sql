-- One row per area of a census answer: an array of arrays, of which the first names the columns and the last column of
-- each is the code of the area. Missing figures and those above the highest class are null.

with

answer as (select from_json(content, '[["VARCHAR"]]') as lines from census_file),

columns_of as (select lines[1] as names from answer),

areas as (
  select unnest(lines[2:]) as line
  from answer
)

select
  line[-1] as cbsa,
  line[list_position(names, 'NAME')] as name,
  census_figure(line[list_position(names, 'B25031_002E')], 'census_top_rent') as gross_rent_0,
  census_figure(line[list_position(names, 'B25031_003E')], 'census_top_rent') as gross_rent_1,
  census_figure(line[list_position(names, 'B25031_004E')], 'census_top_rent') as gross_rent_2,
  census_figure(line[list_position(names, 'B25031_005E')], 'census_top_rent') as gross_rent_3,
  census_figure(line[list_position(names, 'B25031_006E')], 'census_top_rent') as gross_rent_4,
  census_figure(line[list_position(names, 'B25064_001E')], 'census_top_rent') as median_gross_rent,
  census_figure(line[list_position(names, 'B25103_001E')], 'census_top_tax') as median_tax,
  census_figure(line[list_position(names, 'B25077_001E')], 'census_top_value') as median_value
from areas
cross join columns_of

-- One row per metropolitan area of the census's answer: an array of arrays, of which the first names the columns and
-- the last column of each is the code of the area.

with

answer as (select from_json(content, '[["VARCHAR"]]') as lines from census_file),

areas as (select lines[1] as names, unnest(lines[2:]) as line from answer)

select
  line[-1] as cbsa,
  line[list_position(names, 'NAME')] as name,
  census_figure(line[list_position(names, 'B25031_002E')], '3501') as gross_rent_0,
  census_figure(line[list_position(names, 'B25031_003E')], '3501') as gross_rent_1,
  census_figure(line[list_position(names, 'B25031_004E')], '3501') as gross_rent_2,
  census_figure(line[list_position(names, 'B25031_005E')], '3501') as gross_rent_3,
  census_figure(line[list_position(names, 'B25031_006E')], '3501') as gross_rent_4,
  census_figure(line[list_position(names, 'B25064_001E')], '3501') as median_gross_rent,
  census_figure(line[list_position(names, 'B25103_001E')], '10001') as median_tax,
  census_figure(line[list_position(names, 'B25077_001E')], '2000001') as median_value
from areas

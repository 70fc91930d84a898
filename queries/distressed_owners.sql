-- Organizations with the most distressed properties, and how the register knows them.
-- check: properties >= 2 AND distressed <= properties AND listed <= properties
-- rows: 0 or more
SELECT
  owner_name AS owner, county,
  properties_count AS properties,
  distressed_count AS distressed,
  listed_count AS listed,
  total_amount AS owed,
  register_match_basis AS register
FROM owners
ORDER BY distressed DESC, properties DESC, owner, county
LIMIT 25;

-- One row per county of the twenty metros with listings.
-- Key: county_fips
-- Not null: metro

select county_fips, metro
from ref_metro_counties
where has_listings

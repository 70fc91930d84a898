import { defineRecord, degrees, integer, text } from '../../lib/record.ts';

/**
 * Where a ZIP is, by two files of the census, which are US government works: the gazetteer of 2025 (an internal point
 * of each ZIP tabulation area) and the relationship file of 2020 (land of each area by county). ZIPs of the states of
 * metro_counties. ZIPs of post office boxes and of single large buildings have no area, and are missing.
 */
export default defineRecord('zip_place', 'One row per ZIP tabulation area of the covered states.', ['zip'], {
  zip: text('Five-digit ZIP.'),
  latitude: degrees('Latitude of the internal point.'),
  longitude: degrees('Longitude of the internal point.'),
  county_fips: text('Five-digit FIPS of the county with most of its land.'),
  land_share_pct: integer('Share of its land in that county. 100 means all of it.', { unit: 'percent' }),
});

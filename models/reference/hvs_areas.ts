import { date, defineRecord, oneOf, text } from '../../lib/record.ts';

const CENSUS_REGIONS = ['northeast', 'midwest', 'south', 'west'] as const;

/**
 * The metropolitan areas of the Housing Vacancy Survey among the twenty metros. An area whose name changed has a row
 * for each name.
 */
export default defineRecord('hvs_area', 'One row per name of an area.', ['area_name'], {
  area_name: text("Name as in the survey's table, without dots and footnote digits."),
  cbsa: text('Code of the metropolitan area, five digits.'),
  region: oneOf(CENSUS_REGIONS, 'Region of the census of its largest city.'),
  source: text('Source of the names.'),
  as_of: date('Last day of the newest table under whose names they were written down.'),
});

import { date, defineRecord, flag, integer, money, oneOf, text } from '../../lib/record.ts';
import { MONTHLY_RENT } from '../ranges.ts';

/** HUD Fair Market Rents of one county (or New England town) for one fiscal year, by one release. */
export const FmrArea = defineRecord(
  'fmr_area',
  'One row per county or New England town, fiscal year and release.',
  ['fips', 'fiscal_year', 'revision'],
  {
    fips: text('Ten-digit HUD FIPS: state 2, county 3, subdivision 5 (99999 is the whole county).'),
    county_fips: text('Five-digit county FIPS.'),
    state: text('Two-letter state.'),
    county_name: text('County name.'),
    town_name: text('County subdivision.', { absent: 'the row is a whole county' }),
    hud_area_code: text('HUD area code, such as METRO17410N17460.', {
      absent: "HUD's API gives no code for a nonmetropolitan area of several counties",
    }),
    hud_area_name: text('HUD area name, as published (some have double spaces).'),
    is_metro: flag('True for a metropolitan area.'),
    population: integer('Population; the workbook renames this column every year.', {
      absent: 'the file has no population column',
      unit: 'persons',
    }),
    fmr_0: money('Fair Market Rent of an efficiency, per month.', { range: MONTHLY_RENT }),
    fmr_1: money('Fair Market Rent of 1 bedroom, per month.', { range: MONTHLY_RENT }),
    fmr_2: money('Fair Market Rent of 2 bedrooms, per month.', { range: MONTHLY_RENT }),
    fmr_3: money('Fair Market Rent of 3 bedrooms, per month.', { range: MONTHLY_RENT }),
    fmr_4: money('Fair Market Rent of 4 bedrooms, per month.', { range: MONTHLY_RENT }),
    fiscal_year: integer('HUD fiscal year of the rents.', { unit: 'year' }),
    effective_on: date('Day the rents took effect: October 1 before the fiscal year, unless revised.'),
    revision: oneOf(['original', 'revised'], 'Release: the original workbook, or a mid-year revision.'),
  },
);

/** HUD's small-area rents of one ZIP in one HUD area. A ZIP in several areas has a row for each. */
export const FmrZip = defineRecord(
  'fmr_zip',
  'One row per ZIP, HUD area, fiscal year and release.',
  ['zip', 'hud_area_code', 'fiscal_year', 'revision'],
  {
    zip: text('Five-digit ZIP.'),
    hud_area_code: text('HUD area code, such as METRO17410N17460.'),
    hud_area_name: text('HUD area name, as published (some have double spaces).'),
    rent_0: money('Rent of an efficiency, per month.', { range: MONTHLY_RENT }),
    rent_1: money('Rent of 1 bedroom, per month.', { range: MONTHLY_RENT }),
    rent_2: money('Rent of 2 bedrooms, per month.', { range: MONTHLY_RENT }),
    rent_3: money('Rent of 3 bedrooms, per month.', { range: MONTHLY_RENT }),
    rent_4: money('Rent of 4 bedrooms, per month.', { range: MONTHLY_RENT }),
    fiscal_year: integer('HUD fiscal year of the rents.', { unit: 'year' }),
    effective_on: date('Day the rents took effect (1 October before the fiscal year, unless revised).'),
    revision: oneOf(['original', 'revised'], 'Release: the original file, or a mid-year revision.'),
  },
);

import { date, defineRecord, integer, money, oneOf, text } from '../../lib/record.ts';

/** HUD's small-area rents: those of one ZIP inside one HUD area. A ZIP that lies in several areas has a row in each. */
export const FmrZip = defineRecord(
  'fmr_zip',
  'One row per ZIP, HUD area, fiscal year, release and basis.',
  ['zip', 'hud_area_code', 'fiscal_year', 'revision', 'basis'],
  {
    zip: text('Five-digit ZIP.'),
    hud_area_code: text('HUD area code, such as METRO17410N17460.'),
    hud_area_name: text('HUD area name, as published (some hold double spaces).'),
    rent_0: money('Rent of an efficiency, per month.'),
    rent_1: money('Rent of 1 bedroom, per month.'),
    rent_2: money('Rent of 2 bedrooms, per month.'),
    rent_3: money('Rent of 3 bedrooms, per month.'),
    rent_4: money('Rent of 4 bedrooms, per month.'),
    fiscal_year: integer('HUD fiscal year of the rents.', { unit: 'year' }),
    effective_on: date('Day the rents took effect (1 October before the fiscal year, unless revised).'),
    revision: oneOf(
      ['original', 'revised', 'latest'],
      "Which release: the original file, a mid-year revision, or the newest one, which HUD's API serves without saying which that is.",
    ),
    basis: oneOf(
      ['zip', 'greater_of_zip_and_area'],
      "zip: the Small Area Fair Market Rent of the ZIP; greater_of_zip_and_area: as the emergency rental assistance files have it, the area's rent where that of the ZIP is lower.",
    ),
  },
);

import { defineRecord, flag, text } from '../../lib/record.ts';

/**
 * Counties of the metros: of the twenty with listings, and of those without whose records are read. Metros and counties
 * are those of HUD's rent areas of fiscal year 2026. A listing is in the metro of its rent area.
 */
export default defineRecord('metro_county', 'One row per county of a metro.', ['county_fips'], {
  metro: text('Name of the metro: its largest city.'),
  county_fips: text('Five-digit county FIPS.'),
  county: text('Name of the county.'),
  state: text('Two-letter state.'),
  cbsa: text('Code of the metropolitan area, five digits.'),
  is_core: flag('True if the largest city of the metro is in the county.'),
  has_listings: flag('True if listing sites of the metro are read.'),
});

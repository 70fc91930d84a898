import { defineRecord, text } from '../../lib/record.ts';

/**
 * Counties of the states and the District of Columbia, from the census's list. Of Connecticut those before 2022, to
 * which the ZIPs are assigned. An independent city is written as the sources write it: "St. Louis City".
 */
export default defineRecord('county', 'One row per county.', ['county_fips'], {
  county_fips: text('Five-digit county FIPS.'),
  county: text('Name of the county, such as "Cuyahoga County".'),
  state: text('Two-letter state.'),
});

import { defineRecord, text } from '../../lib/record.ts';

/**
 * ZIPs that the sources of a county cover. Of an Ohio county: the postal area around its seat, and single ZIPs of its
 * other towns. Of other counties: the census's ZIPs that two public lists of ZIPs, one of them GeoNames, both put into
 * the county. A ZIP may cross a county line, so this decides only whether "none found" has a meaning. It never places a
 * property in a county.
 */
export default defineRecord('county_zip', 'One row per county and ZIP prefix.', ['county_fips', 'zip_prefix'], {
  county_fips: text('Five-digit county FIPS.'),
  zip_prefix: text("First three digits of the ZIPs of the county's own postal area, or all five of a ZIP outside it."),
});

/** The fields of a deal on its county and its point. */
import { oneOf, text } from '../../lib/record.ts';
import { NO_COUNTY } from '../absence/deals.ts';
import { point } from '../fields.ts';

export const place = {
  county: text('County and state, such as "Cuyahoga County, OH".', {
    absent: NO_COUNTY,
    follows: 'reads',
  }),
  county_fips: text('Five-digit county FIPS.', { absent: NO_COUNTY, follows: 'reads' }),
  county_basis: oneOf(
    ['parcel', 'zip', 'zip_most_land'],
    'Origin of county. parcel: of the roll; zip: all land of the ZIP is in the county; zip_most_land: ' +
      'most of it is.',
    { absent: NO_COUNTY, follows: 'reads' },
  ),
  ...point,
};

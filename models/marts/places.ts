import { defineRecord, flag, oneOf, text, uuid } from '../../lib/record.ts';
import { defineMart } from '../contract.ts';
import { METRO_NAMES } from '../metros.ts';

const WHOLE = 'the row is of a larger place, or the record does not have it';

export const Place = defineRecord(
  'place',
  'One row per state, county, city and ZIP of a record or a reference table, in the spelling of its source.',
  ['id'],
  {
    id: uuid('UUID: version 5 of "place" and the state, county, city and ZIP.'),
    state: text('Two-letter state.'),
    county_fips: text('Five-digit county FIPS.', { absent: 'the county of the listing is not known' }),
    county: text('County and state, such as "Cuyahoga County, OH".', {
      absent: 'the county of the listing is not known',
    }),
    metro: oneOf(METRO_NAMES, 'Metro.', { absent: 'the county is in none of the twenty' }),
    city: text('City of the record.', { absent: WHOLE }),
    zip: text("Five-digit ZIP, or the first three digits of a county's own postal area.", { absent: WHOLE }),
    has_listings: flag('True if an active deal is there.'),
    has_records: flag('True if a listed signal or a sale that is not called off is there.'),
  },
);

export default defineMart({ record: Place, publish: { orderBy: ['state', 'county', 'city', 'zip', 'id'] } });

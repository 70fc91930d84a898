import { defineRecord, flag, oneOf, text, uuid } from '../../lib/record.ts';
import { defineMart, never } from '../contract.ts';
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
    county: text('County name and state, such as "Cuyahoga County, OH".', {
      absent: 'the county of the listing is not known',
    }),
    metro: oneOf(METRO_NAMES, 'Metro of the county.', { absent: 'the county is in none of the twenty' }),
    city: text('City as the record has it.', { absent: WHOLE }),
    zip: text("Five-digit ZIP, or the first three digits of the ZIPs of a county's own postal area.", {
      absent: WHOLE,
    }),
    has_listings: flag('True if an active deal is there.'),
    has_records: flag('True if a listed signal or a sale that is not called off is there.'),
  },
);

export default defineMart({
  record: Place,
  audits: [
    never(
      'places',
      'county_as_said',
      'a county has a name and a code, and only a place in one has a metro',
      '(county IS NULL) <> (county_fips IS NULL) OR (county_fips IS NULL AND metro IS NOT NULL)',
    ),
    {
      name: 'places.of_every_record',
      about: 'every county and city of a list is a place',
      blocking: true,
      sql: `SELECT DISTINCT county, city FROM (
          SELECT county, city FROM deals UNION ALL SELECT county, city FROM signals
          UNION ALL SELECT county, city FROM auctions UNION ALL SELECT county, city FROM leads
          UNION ALL SELECT county, city FROM changes WHERE list <> 'filings'
          UNION ALL SELECT county, NULL FROM owners) AS records
        WHERE county NOT IN (SELECT county FROM places WHERE county IS NOT NULL)
          OR city NOT IN (SELECT city FROM places WHERE city IS NOT NULL)`,
    },
  ],
  publish: { orderBy: ['state', 'county', 'city', 'zip', 'id'] },
});

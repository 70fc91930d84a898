import { date, defineRecord, integer, money, ratio, text } from '../../lib/record.ts';

const ABSENT = 'the census gives none, or only that it is above its highest class';

const grossRent = (bedrooms: string) => money(`Median gross rent, ${bedrooms} (B25031), a month.`, { absent: ABSENT });

/** The census's rents and taxes of the metropolitan areas of hud_zips.csv. Digits 6 to 10 of a HUD area code. */
export default defineRecord('census_metro', 'One row per metropolitan area.', ['cbsa'], {
  cbsa: text('Code of the area, five digits.'),
  name: text('Name of the area.'),
  gross_rent_0: grossRent('no bedroom'),
  gross_rent_1: grossRent('one bedroom'),
  gross_rent_2: grossRent('two bedrooms'),
  gross_rent_3: grossRent('three bedrooms'),
  gross_rent_4: grossRent('four bedrooms'),
  median_gross_rent: money('Median gross rent of all units (B25064), a month.', { absent: ABSENT }),
  median_tax: money("Median yearly property tax of owners' homes (B25103).", { absent: ABSENT }),
  median_value: money("Median value of owners' homes (B25077).", { absent: ABSENT }),
  tax_rate: ratio('median_tax over median_value.', { decimals: 6, absent: 'median_tax or median_value is null' }),
  vintage: integer('Last of the five years.', { unit: 'year' }),
  source: text('Source of the figures.'),
  as_of: date('Last day that the figures describe.'),
});

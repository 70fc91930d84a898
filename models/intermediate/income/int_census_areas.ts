import { defineRecord, flag, integer, money, oneOf, percent, text } from '../../../lib/record.ts';
import { defineModel } from '../../contract.ts';

const NO_METRO = 'metro_basis is unknown, or the census gives no estimate';
const NO_COUNTY = 'the county is unknown, or the census gives no estimate for it';

const grossRent = (bedrooms: number) =>
  money(`Median gross rent of the metropolitan area, ${bedrooms} bedrooms, per month.`, { absent: NO_METRO });

export default defineModel({
  record: defineRecord(
    'int_census_area',
    "One row per HUD area: the census's rents, taxes and values of its metropolitan area and of its largest county.",
    ['hud_area_code'],
    {
      hud_area_code: text('HUD area code.'),
      cbsa: text('Code of the metropolitan area.', { absent: 'the HUD area is in none' }),
      metro_basis: oneOf(
        ['metro_of_source', 'metro_of_reference', 'unknown'],
        'Origin of the figures of the metropolitan area: the source, or the calibrated table.',
      ),
      metro_name: text('Name of the metropolitan area.', { absent: 'metro_basis is unknown' }),
      metro_vintage: integer('Last of the five years of its figures.', {
        absent: 'metro_basis is unknown',
        unit: 'year',
      }),
      gross_rent_0: grossRent(0),
      gross_rent_1: grossRent(1),
      gross_rent_2: grossRent(2),
      gross_rent_3: grossRent(3),
      gross_rent_4: grossRent(4),
      metro_tax_rate_pct: percent('Median tax over median value of the metropolitan area.', { absent: NO_METRO }),
      metro_source: text('Source of its figures.', { absent: 'metro_basis is unknown' }),
      metro_source_url: text('Page of its figures.', { absent: 'metro_basis is not metro_of_source' }),
      county_fips: text('The county of the HUD area with the most people.', { absent: "HUD's list has none" }),
      is_only_county: flag('True if the HUD area has no other county.', { absent: "HUD's list has none" }),
      county_name: text('Name of the county.', { absent: NO_COUNTY }),
      county_vintage: integer('Last of the five years of its figures.', { absent: NO_COUNTY, unit: 'year' }),
      county_contract_rent: money('Median contract rent of the county, per month.', { absent: NO_COUNTY }),
      county_gross_rent: money('Median gross rent of the county, per month.', { absent: NO_COUNTY }),
      county_tax_rate_pct: percent('Median tax over median value of the county.', { absent: NO_COUNTY }),
      county_source: text('Source of its figures.', { absent: NO_COUNTY }),
      county_source_url: text('Page of its figures.', { absent: NO_COUNTY }),
    },
  ),
});

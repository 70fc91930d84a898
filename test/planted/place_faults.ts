/** Faults in the place, the age and the tax bill of a building, which change published NOIs, and in the change feed. */
import { change, test, type PlantedFault } from './fault.ts';

const INCOME = 'models/intermediate/income';
const PAGES = 'models/underwriting/pages_to_noi.test.ts';
const PLACES = 'models/underwriting/underwriting_places.test.ts';
const ROLLS = 'models/identity/property_rolls.test.ts';

/** By name: the file, the text, the text that replaces it, and the file and title of the test that fails. */
const FAULTS: Readonly<Record<string, readonly [file: string, from: string, to: string, by: string, title: string]>> = {
  'one bedroom has the rent of the area instead of the ZIP': [
    `${INCOME}/int_market_rents.sql`,
    'coalesce(zip_rents.rent_1, areas.fmr_1)',
    'coalesce(areas.fmr_1, zip_rents.rent_1)',
    PAGES,
    "has HUD's rents of its ZIP for each number of bedrooms",
  ],
  'the rent in place is measured against the rent of the ZIP': [
    `${INCOME}/int_rents_in_place.sql`,
    'in_place_ratio_of(gross_rent_1, area_rent_1br',
    'in_place_ratio_of(gross_rent_1, market_rent_1br',
    PAGES,
    "has the ratio of its metropolitan area, the census's rent over HUD's of the area",
  ],
  'the share of utilities is over contract rent': [
    `${INCOME}/int_rents_in_place.sql`,
    'share_of(county_gross_rent - county_contract_rent, county_gross_rent)',
    'share_of(county_gross_rent - county_contract_rent, county_contract_rent)',
    PAGES,
    'has the share of utilities of its own county',
  ],
  'the largest county counts although the own one is known': [
    `${INCOME}/int_deal_census.sql`,
    'coalesce(places.county_fips, largest_counties.county_fips)',
    'coalesce(largest_counties.county_fips, places.county_fips)',
    PLACES,
    'takes the rate and the utilities of its own county, not of the largest one of the HUD area',
  ],
  'the smallest county counts where the own one is unknown': [
    `${INCOME}/int_deal_census.sql`,
    'desc nulls last, county_fips',
    'asc nulls last, county_fips',
    PLACES,
    'takes the county with the most people of the HUD area in its state if its own is unknown',
  ],
  'the age of a building is off by one year': [
    'models/intermediate/properties/int_buildings.sql',
    'weight_of_knot(properties.year_built, year_before, knot_year, year_after), 1)',
    'weight_of_knot(properties.year_built + 1, year_before, knot_year, year_after), 1)',
    PAGES,
    'has the bedrooms and the repairs of both sizes and both ages around it',
  ],
  'the bill of any parcel of the county counts': [
    `${INCOME}/int_property_taxes.sql`,
    '    and parcels.parcel_key = rolls.parcel_key\n',
    '',
    PLACES,
    "prefers the county's bill of its own parcel to that of the listing",
  ],
  'a parcel of another county with the same number is the property': [
    'models/intermediate/properties/int_property_rolls.sql',
    'on parcels.county_fips = records.county_fips\n    and parcels.parcel_key',
    'on parcels.parcel_key',
    ROLLS,
    'is that of the parcel that a matching county record names, not of its number in another county',
  ],
  'the roll is joined by the street without the ZIP': [
    'models/intermediate/properties/int_property_rolls.sql',
    'on parcels.zip = properties.zip\n    and parcels.address_key',
    'on parcels.address_key',
    ROLLS,
    'says whether a roll of the place was read',
  ],
  'a sale ends no limit in Florida and Michigan': [
    `${INCOME}/int_property_taxes.sql`,
    "in ('uncapped', 'valued_yearly')",
    "in ('valued_yearly')",
    'models/recompute.test.ts',
    'has deals whose every figure is recomputed',
  ],
  'the score of a lead that moves with the date is a change of it': [
    'models/marts/leads.ts',
    "'0 to 100, the sum of score_parts.', { unit: 'points', follows: 'day' }",
    "'0 to 100, the sum of score_parts.', { unit: 'points' }",
    'pipelines/run/quiet_days.test.ts',
    'yield no change, although scores and ages move',
  ],
};

export const placeFaults: readonly PlantedFault[] = Object.entries(FAULTS).map(
  ([name, [file, from, to, testFile, title]]) => ({
    name,
    changes: [change(file, from, to)],
    caughtBy: [test(testFile, title)],
  }),
);

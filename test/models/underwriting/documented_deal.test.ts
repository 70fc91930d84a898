/** The models give every figure of the deal in docs/underwriting.md. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { WORKED } from '../../../docs/generate/worked_deals.ts';
import { buildTables, uuid5, type InputRow, type Inputs } from '../build_models.ts';
import { COUNTY_RECORDS } from '../../pipelines/some_tables.ts';

const AREA = 'METRO17410N17460';
const ID = uuid5('deal|101 MAIN ST|44102');

const SITE = {
  source: 'site',
  listing_id: 'L1',
  listing_url: 'https://site.example/',
  source_url: 'https://site.example/',
  page_sha256: 'a'.repeat(64),
  street: '101 Main St',
  city: 'Cleveland',
  state: 'OH',
  zip: '44102',
  availability: 'for_sale',
};

/** The deal has these figures, and the page shows them. */
async function assertDocumented(inputs: Inputs, steps: readonly (readonly [string, string, string])[]): Promise<void> {
  const built = await buildTables(inputs, ['deals'], COUNTY_RECORDS);
  try {
    assert.deepEqual(built.failed, []);
    const deal = await built.one('deals');
    assert.deepEqual(
      steps.map(([figure]) => [figure, String(deal[figure])]),
      steps.map(([figure, value]) => [figure, value]),
    );
  } finally {
    built.close();
  }
  const page = await readFile(new URL('../../../docs/underwriting.md', import.meta.url), 'utf8');
  for (const [figure, value] of steps) assert.ok(page.includes(`| \`${figure}\` | ${value} |`), figure);
}

it('the models give every figure of the documented deal', () => {
  const byBedrooms = (name: string, rents: readonly string[]): InputRow =>
    Object.fromEntries(rents.map((rent, bedrooms) => [`${name}_${bedrooms}br`, rent]));
  const rents = { ...byBedrooms('market_rent', WORKED.rents), ...byBedrooms('area_rent', WORKED.areaRents) };
  const vacancy = {
    area_name: 'Cleveland-Elyria, OH',
    year: 2026,
    quarter: 3,
    ends_on: '2026-09-30',
    vacancy_pct: WORKED.vacancy_pct,
    margin_pct: '3.00',
  };
  return assertDocumented(
    {
      staged_listing: [{ ...SITE, ...WORKED.listing, observed_at: '2026-11-21T09:00:00Z' }],
      int_market_rents: [{ id: ID, ...rents, rent_basis: 'zip', rent_area_code: AREA }],
      stg_rents: [{ fips: '3903599999', county_fips: '39035', hud_area_code: AREA, population: 1_200_000 }],
      stg_area_census: [
        { geography: 'metro', area_code: '17410', area_name: 'Cleveland', vintage: 2024, ...WORKED.metro },
        { geography: 'county', area_code: '39035', area_name: 'Cuyahoga', vintage: 2024, ...WORKED.county },
      ],
      stg_area_vacancies: [vacancy],
      stg_survey_rates: [
        { series: 'MORTGAGE30US', observed_on: '2026-11-19', rate_pct: WORKED.survey_rate_pct, is_made_up: false },
      ],
    },
    WORKED.steps,
  );
});

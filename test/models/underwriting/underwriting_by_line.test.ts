/** With uw-2026.2 the models give every figure of three deals that were computed by hand, to the cent. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildTables, uuid5, type Built, type InputRow } from '../build_models.ts';
import { COUNTY_RECORDS } from '../../pipelines/some_tables.ts';

const AREA = 'METRO17410N17460';
const idOf = (house: number): string => uuid5(`deal|${house} MAIN ST|44102`);

const listing = (house: number, more: InputRow): InputRow => ({
  source: 'heartland_multifamily',
  listing_id: `L${house}`,
  listing_url: `https://site.example/L${house}`,
  source_url: `https://site.example/L${house}`,
  street: `${house} Main Street`,
  city: 'Cleveland',
  state: 'OH',
  zip: '44102',
  availability: 'for_sale',
  page_sha256: 'a'.repeat(64),
  observed_at: '2026-11-21T09:00:00Z',
  list_price: '740000.00',
  units: 8,
  year_built: 1974,
  ...more,
});

/** 100: nothing is known but price, size and age. */
const PLAIN = listing(100, {});
/** 200: the listing states its units by bedrooms and its tax bill. */
const STATED = listing(200, { units_1br: 4, units_2br: 4, annual_taxes: '9000.00' });
/** 300: no price. */
const UNPRICED = listing(300, { list_price: null });
/** 400: the stated mix has five units, and the building is of a year to come. */
const CONTRADICTORY = listing(400, { units_2br: 5, year_built: 2031, annual_taxes: '90.00' });
const LISTINGS = [PLAIN, STATED, UNPRICED, CONTRADICTORY];

const RENTS = {
  rent_basis: 'zip',
  rent_area_code: AREA,
  market_rent_0br: '900.00',
  market_rent_1br: '1000.00',
  market_rent_2br: '1200.00',
  market_rent_3br: '1550.00',
  market_rent_4br: '1700.00',
  area_rent_0br: '933.00',
  area_rent_1br: '1058.00',
  area_rent_2br: '1279.00',
  area_rent_3br: '1646.00',
  area_rent_4br: '1760.00',
};

/** The metropolitan area has no rent of 3 bedrooms. */
const CENSUS: readonly InputRow[] = [
  {
    geography: 'metro',
    area_code: '17410',
    area_name: 'Cleveland, OH Metro Area',
    vintage: 2024,
    gross_rent_0: '760.00',
    gross_rent_1: '852.00',
    gross_rent_2: '1088.00',
    gross_rent_4: '1376.00',
    median_tax: '1.00',
    median_value: '100.00',
  },
  {
    geography: 'county',
    area_code: '39035',
    area_name: 'Cuyahoga County, Ohio',
    vintage: 2024,
    median_contract_rent: '810.00',
    median_gross_rent: '950.00',
    median_tax: '4200.00',
    median_value: '205000.00',
  },
];

const quarter = (areaName: string, endsOn: string, pct: string, margin: string): InputRow => ({
  area_name: areaName,
  year: Number(endsOn.slice(0, 4)),
  quarter: Number(endsOn.slice(5, 7)) / 3,
  ends_on: endsOn,
  vacancy_pct: pct,
  margin_pct: margin,
});

/** Five quarters of one area, of which four count, and one of another area of the region. */
const VACANCIES: readonly InputRow[] = [
  quarter('Cleveland-Elyria, OH', '2025-09-30', '20.00', '3.00'),
  quarter('Cleveland-Elyria, OH', '2025-12-31', '8.00', '3.00'),
  quarter('Cleveland-Elyria, OH', '2026-03-31', '9.00', '3.20'),
  quarter('Cleveland-Elyria, OH', '2026-06-30', '7.00', '2.80'),
  quarter('Cleveland-Elyria, OH', '2026-09-30', '8.40', '3.00'),
  quarter('Columbus, OH', '2026-09-30', '5.00', '2.00'),
];

const RENT_OF_SHARES = { market_rent_mix: '1164.01', rent_in_place: '974.33', contract_rent: '830.71' };
const INCOME_OF_SHARES = {
  gross_potential_rent: '79748.16',
  vacancy_pct: '8.90',
  vacancy_basis: 'metro_survey',
  effective_gross_income: '72650.57',
};

describe('deals underwritten by line', () => {
  let built: Built;
  before(async () => {
    built = await buildTables(
      {
        staged_listing: LISTINGS,
        int_market_rents: LISTINGS.map(({ street }) => ({ id: idOf(parseInt(String(street))), ...RENTS })),
        stg_rents: [{ fips: '3903599999', county_fips: '39035', hud_area_code: AREA, population: 1_200_000 }],
        stg_area_census: CENSUS,
        stg_area_vacancies: VACANCIES,
      },
      ['deals'],
      COUNTY_RECORDS,
    );
  });
  after(() => built.close());

  async function assertDeal(house: number, expected: InputRow): Promise<void> {
    const deal = await built.one('deals', `id = '${idOf(house)}'`);
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((k) => [k, deal[k]])), expected);
  }
  const stepsOf = async (house: number): Promise<Record<string, Record<string, unknown>>> =>
    JSON.parse(String((await built.one('deals', `id = '${idOf(house)}'`))['rent_steps'])) as Record<
      string,
      Record<string, unknown>
    >;

  it('takes the mix of its size and age, and the tax at the price, if the listing states neither', () =>
    assertDeal(100, {
      ...RENT_OF_SHARES,
      ...INCOME_OF_SHARES,
      tax_after_reset: '15170.00',
      expense_check: 'above_quartiles',
      operating_expenses: '39049.68',
      expense_ratio_pct: '53.75',
      noi_after_reset: '33600.89',
      noi_at_current_tax: '33600.89',
      noi_underwritten: '33600.89',
      noi_hud_2br: '51853.82',
      cap_rate_underwritten: '4.54',
      cap_rate_hud_2br: '7.01',
      reserves: '3200.00',
    }));

  it('takes the mix and the tax bill that the listing states', () =>
    assertDeal(200, {
      market_rent_mix: '1100.00',
      rent_in_place: '913.07',
      contract_rent: '778.48',
      gross_potential_rent: '74734.08',
      effective_gross_income: '68082.75',
      tax_after_reset: '12085.00',
      expense_check: 'above_quartiles',
      noi_after_reset: '31488.27',
      noi_at_current_tax: '33834.56',
    }));

  it('takes the typical ratio of its size and age if there is no price, and so no tax', () =>
    assertDeal(300, {
      ...RENT_OF_SHARES,
      ...INCOME_OF_SHARES,
      tax_after_reset: null,
      expense_check: 'no_tax_ratio_of_cell',
      noi_after_reset: '39369.34',
      cap_rate_underwritten: null,
    }));

  it('states the source of each step', async () => {
    const { mix, in_place: inPlace, contract } = await stepsOf(200);
    assert.deepEqual(
      [mix?.['basis'], inPlace?.['basis'], inPlace?.['area'], contract?.['basis'], contract?.['area']],
      ['listing', 'metro_of_source', 'Cleveland, OH Metro Area', 'county', 'Cuyahoga County, Ohio'],
    );
    assert.deepEqual(inPlace?.['ratios'], {
      br_0: '0.8146',
      br_1: '0.8053',
      br_2: '0.8507',
      br_3: '0.8507',
      br_4: '0.7818',
    });
    assert.equal(contract?.['utility_share'], '0.1474');
  });

  it('limits a bill far from the tax at the price, and ignores a mix of other units and a future year', async () => {
    const deal = await built.one('deals', `id = '${idOf(400)}'`);
    const tax = JSON.parse(String(deal['property_tax'])) as Record<string, unknown>;
    assert.equal((await stepsOf(400))['mix']?.['basis'], 'size_stated_mix_does_not_add_up');
    assert.deepEqual([tax['current_basis'], tax['current']], ['listing_limited', '3792.50']);
  });

  it('passes every audit', () => assert.deepEqual(built.failed, []));
});

/** Which place speaks for a property, and within which limits: census, county, vacancy survey, state and tax bill. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { build, builtBefore, type InputRow } from '../build_models.ts';

const MODELS = ['int_deal_census', 'int_rents_in_place', 'int_property_taxes', 'int_vacancies'];

const RENTS = Object.fromEntries(
  [0, 1, 2, 3, 4].flatMap((bedrooms) => [
    [`market_rent_${bedrooms}br`, '1000.00'],
    [`area_rent_${bedrooms}br`, '1000.00'],
  ]),
);

/** Units of two bedrooms only. */
const MIX = { mix_0br: '0', mix_1br: '0', mix_2br: '1', mix_3br: '0', mix_4br: '0', mix_sum: 1 };

const metro = (cbsa: string, vintage: number, rent: string): InputRow => ({
  geography: 'metro',
  area_code: cbsa,
  area_name: `metro ${cbsa}`,
  vintage,
  gross_rent_2: rent,
});
const county = (fips: string, contractRent: string | null, tax: string | null = '2000.00'): InputRow => ({
  geography: 'county',
  area_code: fips,
  area_name: `county ${fips}`,
  vintage: 2024,
  median_gross_rent: '1000.00',
  median_contract_rent: contractRent,
  median_tax: tax,
  median_value: '100000.00',
});
const town = (area: string, fips: string, population: number): InputRow => ({
  fips: `${fips}${population}`,
  county_fips: fips,
  hud_area_code: area,
  population,
});

/** By id: where the property is. */
const PLACES: Readonly<Record<string, InputRow>> = {
  surveyed: { rent_area_code: 'METRO17410M17410' },
  dear: { rent_area_code: 'METRO90001M90001' },
  cheap: { rent_area_code: 'METRO90002M90002' },
  rural: { rent_area_code: 'NCNTY39001N39001' },
  newest: { rent_area_code: 'METRO90003M90003' },
};

/** By id: the county, where it is known. */
const COUNTIES: Readonly<Record<string, string>> = {
  own_county: '39001',
  county_without_a_figure: '39007',
};

const quarter = (area: string, year: number, endsOn: string, pct: string): InputRow => ({
  area_name: area,
  year,
  quarter: 1,
  ends_on: endsOn,
  vacancy_pct: pct,
  margin_pct: '2.00',
});

const BUILDINGS: Readonly<Record<string, InputRow>> = {
  ...Object.fromEntries(Object.keys(PLACES).map((id) => [id, { state: 'OH', units: 8 }])),
  own_county: { state: 'OH', units: 8 },
  county_without_a_figure: { state: 'OH', units: 8 },
  both_bills: { state: 'OH', units: 8, annual_taxes: '2500.00' },
};

describe('the place of a property', () => {
  const built = builtBefore(async () => {
    const ids = Object.keys(BUILDINGS);
    return build(
      {
        int_properties: ids.map((id) => ({ id, list_price: '100000.00', ...BUILDINGS[id] })),
        int_deal_places: Object.entries(COUNTIES).map(([id, county_fips]) => ({ id, county_fips })),
        int_property_rolls: [{ id: 'both_bills', county_fips: '39001', parcel_key: 'own' }],
        int_market_rents: ids.map((id) => ({
          id,
          ...RENTS,
          rent_area_code: 'METRO90001M90001',
          ...PLACES[id],
          rent_basis: 'zip',
        })),
        int_unit_mixes: ids.map((id) => ({ id, unit_mix_basis: 'size', ...MIX })),
        stg_rents: [
          town('METRO90001M90001', '39001', 10),
          town('METRO90001M90001', '39003', 99),
          town('METRO90002M90002', '39005', 5),
          town('METRO90003M90003', '39007', 5),
        ],
        stg_area_census: [
          metro('90001', 2024, '1400.00'),
          metro('90002', 2024, '400.00'),
          metro('90003', 2023, '800.00'),
          metro('90003', 2024, '900.00'),
          county('39001', '960.00', '1000.00'),
          county('39003', '990.00'),
          county('39005', '500.00'),
          county('39007', null, null),
        ],
        stg_area_vacancies: [
          quarter('Cleveland-Elyria, OH', 2026, '2026-09-30', '6.00'),
          quarter('Cleveland-Elyria, OH', 2027, '2026-11-21', '14.00'),
        ].map((row) => ({ ...row, source_url: 'https://example.org/page' })),
        stg_parcels: [
          { county_fips: '39001', parcel_key: 'own', annual_taxes: '1500.00' },
          { county_fips: '39003', parcel_key: 'own', annual_taxes: '1600.00' },
          { county_fips: '39001', parcel_key: 'other', annual_taxes: '1700.00' },
        ],
      },
      ({ name }) => MODELS.includes(name),
    );
  });

  const rents = (id: string): Promise<Record<string, unknown>> => built.one('int_rents_in_place', `id = '${id}'`);
  const taxes = (id: string): Promise<Record<string, unknown>> => built.one('int_property_taxes', `id = '${id}'`);

  it('never puts rents in place above the market, nor below the least ratio', async () => {
    assert.equal((await rents('dear'))['rent_in_place'], '1000.00');
    assert.equal((await rents('cheap'))['rent_in_place'], '700.00');
  });
  it('uses the declared ratio outside of metropolitan areas', async () => {
    const { rent_in_place: rent, in_place_basis: basis } = await rents('rural');
    assert.deepEqual([rent, basis], ['890.00', 'declared']);
  });
  it("counts the census's newest five years", async () =>
    assert.equal((await rents('newest'))['rent_in_place'], '900.00'));
  it('takes the rate and the utilities of its own county, not of the largest one of the HUD area', async () => {
    const { utility_share_used: share, contract_basis: basis } = await rents('own_county');
    assert.deepEqual([share, basis], ['0.0400', 'county']);
    const { tax_rate_pct: rate, tax_rate_basis: rateBasis } = await taxes('own_county');
    assert.deepEqual([rate, rateBasis], ['1.00', 'county']);
  });
  it('takes no other county if its own has no figure', async () => {
    const { utility_share_used: share, contract_basis: basis } = await rents('county_without_a_figure');
    assert.deepEqual([share, basis], ['0.1200', 'declared']);
    const { tax_rate_pct: rate, tax_rate_basis: rateBasis } = await taxes('county_without_a_figure');
    assert.deepEqual([rate, rateBasis], ['1.50', 'declared']);
  });
  it('limits the share of utilities', async () => assert.equal((await rents('cheap'))['utility_share_used'], '0.2000'));
  it('uses the declared share of utilities if the county has no figure', async () => {
    const { utility_share_used: share, contract_basis: basis } = await rents('newest');
    assert.deepEqual([share, basis], ['0.1200', 'declared']);
  });
  it('counts no quarter that ends on the day or later', async () => {
    const vacancy = await built.one('int_vacancies', "id = 'surveyed'");
    assert.deepEqual([vacancy['year'], vacancy['metro_pct']], [2026, '6.00']);
  });
  it("prefers the county's bill of its own parcel to that of the listing", async () => {
    const { tax_current: tax, tax_current_basis: basis } = await taxes('both_bills');
    assert.deepEqual([tax, basis], ['1500.00', 'parcel']);
  });
});

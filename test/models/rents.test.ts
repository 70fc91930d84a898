/** Which of HUD's rents stands on a property: its ZIP's or its area's, which release, which year. */
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { build, type InputRow } from './build_models.ts';

/** A ZIP of Cleveland alone, and one that HUD lists in two areas. */
const CLEVELAND = { zip: '44105', area: 'METRO17410N17460' };
const CHARLOTTE = { zip: '28006', areas: ['METRO16740M16740', 'METRO16740N37109'] as const };

const area = (code: string, rent: string, rest: InputRow = {}): InputRow => ({
  fips: '3903599999',
  hud_area_code: code,
  hud_area_name: 'An  Area',
  fmr_2: rent,
  fiscal_year: 2026,
  effective_on: '2025-10-01',
  revision: 'original',
  source: 'hud_fmr',
  source_url: 'https://www.huduser.gov/fmr.xlsx',
  ...rest,
});
const ofZip = (code: string, rent: string, rest: InputRow = {}): InputRow => ({
  zip: CLEVELAND.zip,
  hud_area_code: code,
  hud_area_name: 'An  Area',
  rent_2: rent,
  fiscal_year: 2026,
  effective_on: '2025-10-01',
  revision: 'original',
  basis: 'zip',
  source: 'hud_safmr',
  source_url: 'https://www.huduser.gov/safmrs.xlsx',
  ...rest,
});

/** The rent of one property in a ZIP. */
async function rentIn(
  zip: string,
  areas: readonly InputRow[],
  zips: readonly InputRow[] = [],
  asOf = '2026-11-20',
  reads: readonly InputRow[] = [],
): Promise<Record<string, unknown>> {
  const built = await build(
    {
      run: [{ as_of: asOf, observed_at: `${asOf}T12:00:00Z` }],
      int_properties: [{ id: 'p', zip }],
      staged_fmr_area: areas,
      staged_fmr_zip: zips,
      source_reads: reads,
    },
    (model) => ['stg_rents', 'stg_zip_rents', 'int_market_rents'].includes(model.name),
  );
  try {
    assert.deepEqual(built.failed, []);
    return await built.one('int_market_rents');
  } finally {
    built.close();
  }
}
const says = async (...given: Parameters<typeof rentIn>): Promise<unknown[]> => {
  const row = await rentIn(...given);
  return [row['market_rent_2br'], row['rent_basis'], row['rent_fiscal_year'], row['rent_source']];
};

describe('a revision replaces the original', () => {
  const files = [
    area(CLEVELAND.area, '1200.00'),
    area(CLEVELAND.area, '1260.00', {
      revision: 'revised',
      effective_on: '2026-05-21',
      source_url: 'https://www.huduser.gov/revised.xlsx',
    }),
  ];
  test('from the day it takes effect', async () => {
    assert.deepEqual(await says(CLEVELAND.zip, files, [], '2026-05-20'), ['1200.00', 'metro', 2026, 'hud_fmr']);
    assert.deepEqual(await says(CLEVELAND.zip, files, [], '2026-05-21'), ['1260.00', 'metro', 2026, 'hud_fmr']);
    assert.equal((await rentIn(CLEVELAND.zip, files))['rent_source_url'], 'https://www.huduser.gov/revised.xlsx');
  });
  test('until the next fiscal year begins, whose original comes before it', async () => {
    const next = [...files, area(CLEVELAND.area, '1300.00', { fiscal_year: 2027, effective_on: '2026-10-01' })];
    assert.deepEqual(await says(CLEVELAND.zip, next, [], '2026-09-30'), ['1260.00', 'metro', 2026, 'hud_fmr']);
    assert.deepEqual(await says(CLEVELAND.zip, next, [], '2026-10-01'), ['1300.00', 'metro', 2027, 'hud_fmr']);
  });
  test('and rents that are not in force yet are none', async () => {
    assert.deepEqual(await says(CLEVELAND.zip, files, [], '2025-09-30'), [null, 'unknown', null, null]);
  });
});

describe("a ZIP's rent comes before its area's", () => {
  const areas = [area(CLEVELAND.area, '1200.00')];
  test('whether it is lower or higher', async () => {
    assert.deepEqual(await says(CLEVELAND.zip, areas, [ofZip(CLEVELAND.area, '990.00')]), [
      '990.00',
      'zip',
      2026,
      'hud_safmr',
    ]);
    assert.deepEqual(await says(CLEVELAND.zip, areas, [ofZip(CLEVELAND.area, '1410.00')]), [
      '1410.00',
      'zip',
      2026,
      'hud_safmr',
    ]);
    assert.deepEqual(await says('99999', areas, [ofZip(CLEVELAND.area, '990.00')]), [null, 'unknown', null, null]);
  });
  test('not when it is of an older year', async () => {
    assert.deepEqual(
      await says(CLEVELAND.zip, areas, [
        ofZip(CLEVELAND.area, '990.00', { fiscal_year: 2024, effective_on: '2023-10-01' }),
      ]),
      ['1200.00', 'metro', 2026, 'hud_fmr'],
    );
  });
  test('also where its area is in no other file', async () => {
    assert.deepEqual(await says('36016', areas, [ofZip('NCNTY01005N01005', '770.00', { zip: '36016' })]), [
      '770.00',
      'zip',
      2026,
      'hud_safmr',
    ]);
  });
  test('its revision before its original, from the day it takes effect', async () => {
    const both = [
      ofZip(CLEVELAND.area, '990.00'),
      ofZip(CLEVELAND.area, '1010.00', { revision: 'revised', effective_on: '2026-05-21' }),
    ];
    assert.deepEqual(await says(CLEVELAND.zip, areas, both, '2026-05-20'), ['990.00', 'zip', 2026, 'hud_safmr']);
    assert.deepEqual(await says(CLEVELAND.zip, areas, both, '2026-05-21'), ['1010.00', 'zip', 2026, 'hud_safmr']);
  });
});

test("the greater of the ZIP's and the area's rent is the ZIP's own only above the area's", async () => {
  const greater = (rent: string): InputRow => ofZip(CLEVELAND.area, rent, { basis: 'greater_of_zip_and_area' });
  const areas = [area(CLEVELAND.area, '1200.00')];
  assert.deepEqual(await says(CLEVELAND.zip, areas, [greater('1350.00')]), ['1350.00', 'zip', 2026, 'hud_safmr']);
  assert.deepEqual(await says(CLEVELAND.zip, areas, [greater('1200.00')]), ['1200.00', 'metro', 2026, 'hud_fmr']);
  assert.deepEqual(await says(CLEVELAND.zip, areas, [greater('1350.00'), ofZip(CLEVELAND.area, '1340.00')]), [
    '1340.00',
    'zip',
    2026,
    'hud_safmr',
  ]);
});

test('in a ZIP of several areas the lowest rent counts, and the row says so', async () => {
  const [first, second] = CHARLOTTE.areas;
  const areas = [area(first, '1500.00'), area(second, '1100.00', { fips: '3710999999' })];
  const zips = [ofZip(first, '1300.00', { zip: CHARLOTTE.zip }), ofZip(second, '1350.00', { zip: CHARLOTTE.zip })];
  assert.deepEqual(await says(CHARLOTTE.zip, areas), ['1100.00', 'metro_lowest_of_several', 2026, 'hud_fmr']);
  assert.deepEqual(await says(CHARLOTTE.zip, areas, zips), ['1300.00', 'zip_lowest_of_several', 2026, 'hud_safmr']);
  // This year's file has the ZIP in one area only, whatever the older list says.
  assert.deepEqual(await says(CHARLOTTE.zip, areas, zips.slice(0, 1)), ['1300.00', 'zip', 2026, 'hud_safmr']);
});

describe('an outdated rent says why', () => {
  const reads = [
    { source: 'hud_fmr', fiscal_year: 2026, outdated_on: '2026-11-30', outdated_reason: 'fiscal_year_over' },
    {
      source: 'hud_safmr',
      fiscal_year: 2026,
      outdated_on: '2026-10-01',
      outdated_reason: 'newer_fiscal_year_published',
    },
  ];
  const reasonOn = async (day: string, areas: readonly InputRow[], zips: readonly InputRow[] = []): Promise<unknown> =>
    (await rentIn(CLEVELAND.zip, areas, zips, day, reads))['rent_outdated_reason'];
  const areas = [area(CLEVELAND.area, '1200.00')];
  test('from the day on which the rows of its source are outdated', async () => {
    assert.equal(await reasonOn('2026-11-29', areas), null);
    assert.equal(await reasonOn('2026-11-30', areas), 'fiscal_year_over');
  });
  test("of its own source, not of the other's", async () => {
    assert.equal(await reasonOn('2026-11-20', areas, [ofZip(CLEVELAND.area, '990.00')]), 'newer_fiscal_year_published');
    assert.equal(await reasonOn('2026-11-20', areas), null);
  });
  test('where its source has a newer year for other areas', async () => {
    const older = [area(CLEVELAND.area, '1200.00', { fiscal_year: 2024, effective_on: '2023-10-01' })];
    assert.equal(await reasonOn('2026-11-20', older), 'newer_fiscal_year_published');
  });
  test('and no rent has no reason', async () => {
    assert.equal(await reasonOn('2026-12-20', []), null);
  });
});

describe('rents of each number of bedrooms', () => {
  const bedrooms = (name: string, rents: readonly string[]): InputRow =>
    Object.fromEntries(rents.map((rent, i) => [`${name}_${i}`, rent]));
  const ofArea = bedrooms('fmr', ['900.00', '1000.00', '1200.00', '1500.00', '1700.00']);
  const shown = async (zips: readonly InputRow[]): Promise<unknown[]> => {
    const row = await rentIn(CLEVELAND.zip, [area(CLEVELAND.area, '1200.00', ofArea)], zips);
    return [0, 1, 2, 3, 4].map((i) => row[`market_rent_${i}br`]);
  };
  test('are those of the ZIP, and those of the area where it has none', async () => {
    const zip = bedrooms('rent', ['950.00', '1050.00', '1250.00', '1550.00', '1750.00']);
    assert.deepEqual(await shown([ofZip(CLEVELAND.area, '1250.00', zip)]), Object.values(zip));
    assert.deepEqual(await shown([]), Object.values(ofArea));
  });
});

/** Which of HUD's rents stands on a property: its ZIP's or its area's, which release, which year. */
import { before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { build, type InputRow } from '../build_models.ts';

type Listed = Readonly<Record<'zip' | 'hud_area_code', string>>;

/** HUD's areas by the ZIPs that lie in one area alone. */
const ZIPS_OF_AREAS = Map.groupBy(
  [
    ...Map.groupBy(
      parse<Listed>(readFileSync(new URL('../../../models/reference/hud_zips.csv', import.meta.url)), {
        columns: true,
      }),
      ({ zip }) => zip,
    ).values(),
  ].flatMap((rows) => (rows.length === 1 ? rows : [])),
  (row) => row.hud_area_code,
);

const CLEVELAND = 'METRO17410N17460';
/** Three ZIPs that HUD lists in the same two areas. */
const CHARLOTTE = { zips: ['28006', '28021', '28033'], areas: ['METRO16740M16740', 'METRO16740N37109'] } as const;
const [REVISED, CONTINUED, OLD] = [...ZIPS_OF_AREAS.keys()].filter(
  (code) => code !== CLEVELAND && !CHARLOTTE.areas.some((area) => area === code),
);

/** ZIPs of Cleveland, one for each case. */
const [OF_AREA, LOWER, HIGHER, OLDER, BOTH] = ZIPS_OF_AREAS.get(CLEVELAND)?.map(({ zip }) => zip) ?? [];
const ELSEWHERE = '36016';
const UNKNOWN = '99999';
const OF_CASES = [OF_AREA, LOWER, HIGHER, OLDER, BOTH, ELSEWHERE, UNKNOWN];

let counties = 0;
/** Rents of the only county of an area. */
const area = (code: string | undefined, rent: string, ...releases: readonly InputRow[]): InputRow[] => {
  counties += 1;
  const fips = `39${String(counties).padStart(3, '0')}99999`;
  return [{}, ...releases].map((release) => ({
    fips,
    hud_area_code: code,
    hud_area_name: 'An  Area',
    fmr_2: rent,
    fiscal_year: 2026,
    effective_on: '2025-10-01',
    source: 'hud_fmr',
    source_url: 'https://www.huduser.gov/fmr.xlsx',
    ...release,
  }));
};
const ofZip = (zip: string | undefined, rent: string, rest: InputRow = {}): InputRow => ({
  zip,
  hud_area_code: CLEVELAND,
  hud_area_name: 'An  Area',
  rent_2: rent,
  fiscal_year: 2026,
  effective_on: '2025-10-01',
  source: 'hud_safmr',
  source_url: 'https://www.huduser.gov/safmrs.xlsx',
  ...rest,
});

/** Before any rent is in force, the last day of a fiscal year, and the first of the next. */
const [EARLY, LAST_DAY, NEW_YEAR] = ['2025-09-30', '2026-09-30', '2026-10-01'];
const REVISION = { revision: 'revised', effective_on: NEW_YEAR };

const AREAS = [
  ...area(CLEVELAND, '1200.00'),
  ...area(REVISED, '1200.00', { ...REVISION, fmr_2: '1260.00', source_url: 'https://www.huduser.gov/revised.xlsx' }),
  ...area(
    CONTINUED,
    '1200.00',
    { revision: 'revised', effective_on: '2026-05-21', fmr_2: '1260.00' },
    { fiscal_year: 2027, effective_on: NEW_YEAR, fmr_2: '1300.00' },
  ),
  ...area(OLD, '1200.00').map((row) => ({ ...row, fiscal_year: 2024, effective_on: '2023-10-01' })),
  ...area(CHARLOTTE.areas[0], '1500.00'),
  ...area(CHARLOTTE.areas[1], '1100.00'),
];

const [, TWICE, ONCE] = CHARLOTTE.zips;
const ZIPS = [
  ofZip(LOWER, '990.00'),
  ofZip(HIGHER, '1410.00'),
  ofZip(OLDER, '990.00', { fiscal_year: 2024, effective_on: '2023-10-01' }),
  ofZip(ELSEWHERE, '770.00', { hud_area_code: 'NCNTY01005N01005' }),
  ofZip(BOTH, '990.00'),
  ofZip(BOTH, '1010.00', REVISION),
  ofZip(TWICE, '1300.00', { hud_area_code: CHARLOTTE.areas[0] }),
  ofZip(TWICE, '1350.00', { hud_area_code: CHARLOTTE.areas[1] }),
  // This year's file has the ZIP in one area only, whatever the older list says.
  ofZip(ONCE, '1300.00', { hud_area_code: CHARLOTTE.areas[0] }),
];

const READS = [
  { source: 'hud_fmr', fiscal_year: 2026, outdated_on: NEW_YEAR, outdated_reason: 'fiscal_year_over' },
  { source: 'hud_safmr', fiscal_year: 2026, outdated_on: '2025-12-01', outdated_reason: 'newer_fiscal_year_published' },
];

const zipIn = (code: string | undefined): string => ZIPS_OF_AREAS.get(code ?? '')?.[0]?.zip ?? assert.fail(code);

/** The rents of a property in each ZIP, by day. */
const rents = new Map<string | undefined, ReadonlyMap<unknown, Record<string, unknown>>>();
before(async () => {
  const zips = new Set([...CHARLOTTE.zips, ...[REVISED, CONTINUED, OLD].map(zipIn), ...OF_CASES]);
  for (const day of [EARLY, LAST_DAY, NEW_YEAR]) {
    using built = await build(
      {
        run: [{ as_of: day, observed_at: `${day}T12:00:00Z` }],
        int_properties: [...zips].map((zip) => ({ id: zip, zip })),
        staged_fmr_area: AREAS,
        staged_fmr_zip: ZIPS,
        source_reads: READS,
      },
      (model) => ['stg_rents', 'stg_zip_rents', 'int_market_rents'].includes(model.name),
    );
    assert.deepEqual(built.failed, []);
    rents.set(day, new Map((await built.rows('int_market_rents')).map((row) => [row['id'], row])));
  }
});

const rentIn = (zip: string | undefined, day = LAST_DAY): Record<string, unknown> =>
  rents.get(day)?.get(zip) ?? assert.fail(`no property in ${zip}`);
const says = (zip: string | undefined, day = LAST_DAY): unknown[] => {
  const row = rentIn(zip, day);
  return [row['market_rent_2br'], row['rent_basis'], row['rent_fiscal_year'], row['rent_source']];
};

describe('a revision replaces the original', () => {
  test('from the day it takes effect', () => {
    assert.deepEqual(says(zipIn(REVISED)), ['1200.00', 'metro', 2026, 'hud_fmr']);
    assert.deepEqual(says(zipIn(REVISED), NEW_YEAR), ['1260.00', 'metro', 2026, 'hud_fmr']);
    assert.equal(rentIn(zipIn(REVISED), NEW_YEAR)['rent_source_url'], 'https://www.huduser.gov/revised.xlsx');
  });
  test('until the next fiscal year begins, whose original takes precedence', () => {
    assert.deepEqual(says(zipIn(CONTINUED)), ['1260.00', 'metro', 2026, 'hud_fmr']);
    assert.deepEqual(says(zipIn(CONTINUED), NEW_YEAR), ['1300.00', 'metro', 2027, 'hud_fmr']);
  });
  test('and rents that are not yet in force do not count', () =>
    assert.deepEqual(says(zipIn(REVISED), EARLY), [null, 'unknown', null, null]));
});

describe("a ZIP's rent takes precedence over its area's", () => {
  test('whether it is lower or higher', () => {
    assert.deepEqual(says(LOWER), ['990.00', 'zip', 2026, 'hud_safmr']);
    assert.deepEqual(says(HIGHER), ['1410.00', 'zip', 2026, 'hud_safmr']);
    assert.deepEqual(says(UNKNOWN), [null, 'unknown', null, null]);
  });
  test('not if it is of an older year', () => assert.deepEqual(says(OLDER), ['1200.00', 'metro', 2026, 'hud_fmr']));
  test('even if its area is in no other file', () =>
    assert.deepEqual(says(ELSEWHERE), ['770.00', 'zip', 2026, 'hud_safmr']));
  test('and its revision over its original, from the day it takes effect', () => {
    assert.deepEqual(says(BOTH), ['990.00', 'zip', 2026, 'hud_safmr']);
    assert.deepEqual(says(BOTH, NEW_YEAR), ['1010.00', 'zip', 2026, 'hud_safmr']);
  });
});

test('in a ZIP of several areas the lowest rent counts, and the row says so', () => {
  const [without] = CHARLOTTE.zips;
  assert.deepEqual(says(without), ['1100.00', 'metro_lowest_of_several', 2026, 'hud_fmr']);
  assert.deepEqual(says(TWICE), ['1300.00', 'zip_lowest_of_several', 2026, 'hud_safmr']);
  assert.deepEqual(says(ONCE), ['1300.00', 'zip', 2026, 'hud_safmr']);
});

describe('an outdated rent says why', () => {
  const reasonOn = (zip: string | undefined, day = LAST_DAY): unknown => rentIn(zip, day)['rent_outdated_reason'];
  test('from the day on which the rows of its source are outdated', () => {
    assert.equal(reasonOn(OF_AREA), null);
    assert.equal(reasonOn(OF_AREA, NEW_YEAR), 'fiscal_year_over');
  });
  test("by the date of its own source, not of the other's", () => {
    assert.equal(reasonOn(LOWER), 'newer_fiscal_year_published');
    assert.equal(reasonOn(OF_AREA), null);
  });
  test('if its source has a newer year for other areas', () =>
    assert.equal(reasonOn(zipIn(OLD)), 'newer_fiscal_year_published'));
  test('and a missing rent has no reason', () => assert.equal(reasonOn(UNKNOWN, NEW_YEAR), null));
});

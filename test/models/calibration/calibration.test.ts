/** The arithmetic of `make calibrate`, over invented files in the formats of the real ones. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { openCalibration, type Calibration } from '../../../models/calibration/calibrate.ts';
import { underwrite } from '../../../models/calibration/compare.ts';

type Row = Readonly<Record<string, string>>;

const csvOf = (rows: readonly Row[]): string => {
  const names = Object.keys(rows[0] ?? {});
  return `${[names.join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(','))].join('\n')}\n`;
};

let number = 0;

/** An invented answer: 4 units of 2 bedrooms before 1960, 50,000 of rent and 20,000 of expenses, a paid manager. */
function answer(changes: Row = {}): Row {
  number += 1;
  return {
    CONTROLPUF: String(number).padStart(10, '0'),
    WEIGHT: '1.0000000000',
    NUMUNITS_R: '4',
    YROLDBLG_R: '2',
    OWNENT: '1',
    MNGMNT: '3',
    TOTCOLL: '50000',
    POTENTIAL: '52000',
    OPPAY: '0',
    OPINSUR: '2000',
    OPUTIL: '1500',
    OPREP: '8000',
    OPMNG: '4000',
    OPPROTH: '0',
    OPSECUR: '0',
    OPLAND: '0',
    OPTAX_R: '7',
    OPOTHEX: '-8',
    BED0_R: '0',
    BED1_R: '0',
    BED2_R: '4',
    BED3_R: '0',
    BED4_R: '0',
    MRKTVAL_R: '400000',
    FMR22012: '900',
    LOWINCTC: '-9',
    PBS8V: '2',
    RSUBSIDY: '-9',
    ...changes,
  };
}

/** The same with this ratio of expenses to rent, in percent. */
const ofRatio = (percent: number, changes: Row = {}): Row =>
  answer({ OPREP: String(8000 + 500 * (percent - 40)), ...changes });

const CENSUS = [
  ['NAME', 'B25064_001E', 'B25077_001E', 'B25103_001E', ...[2, 3, 4, 5, 6].map((n) => `B25031_00${n}E`), 'metro'],
  ['Akron, OH Metro Area', '1000', '200000', '3001', '700', '-666666666', '950', '1100', '3501', '10420'],
  ['Chicago', '900', '300000', '6000', '700', '800', '850', '900', '950', '16980'],
];

/** Worksheets: one building in two years, one with a shop, one at a restricted rent. */
const WORKSHEETS = `year,township,keypin,address,yearbuilt,use,studio,br1,br2,br3,br4,total_units,commsf,noi,taxload,mv
2024,Hyde Park 2024.T70,1,1 A ST,1974,Market,0,0,8,0,0,8,0,30000,,500000
2026,Hyde Park 2026 T70,1,1 A ST,1974,Market,0,0,8,0,0,0,0,53211.52,0.02,500000
2024,Hyde Park 2024.T70,2,2 A ST,1974,Market,0,0,8,0,0,8,1200,43211.52,,500000
2024,Hyde Park 2024.T70,3,3 A ST,1974,"SAP, 35% tier",0,0,8,0,0,8,0,43211.52,,500000
`;

const FILES: Readonly<Record<string, string>> = {
  'underwriting/acs/invented_metro.json': JSON.stringify(CENSUS),
  'underwriting/acs/invented_counties.csv':
    'fips,B25077_median_home_value,B25103_median_real_estate_taxes,B25064_median_gross_rent\n17031,300000,6000,900\n',
  'underwriting/insurance/invented_ho3_by_state.csv': 'state,ho3_average_premium_2022_usd\nOH,1000\nUS,1569\n',
  'underwriting/insurance/feds_notes_invented.csv': 'year,real_monthly_cost_per_unit_median\n2011,24.88\n',
  'underwriting/cook/cook_multifamily_invented.csv': WORKSHEETS,
  'underwriting/ex102/mf_properties_distinct.csv':
    'deal,asset,name,state,county,units,year_built,valuation,noi_uw\nTrust,1,A,IL,Cook,60,1970,3000000,200000\n',
  'underwriting/ex102/invented_property_rows_monthly.csv':
    'propertyName,mostRecentNetOperatingIncomeAmount,mostRecentFinancialsStartDate,mostRecentFinancialsEndDate\n' +
    'A,150000,2021-01-01,2021-12-31\nA,160000,2022-01-01,2022-12-31\nA,90000,2023-01-01,2023-06-30\n',
  'hud/FY25_FMRs_revised.csv':
    'stusps,countyname,hud_area_code,fips,pop2022,fmr_0,fmr_1,fmr_2,fmr_3,fmr_4\n' +
    'IL,Cook County,METRO16980M16980,1703199999,5000000,700,850,1000,1200,1300\n',
};

/** A folder of invented files in the layout that the command expects. */
function folderOf(answers: readonly Row[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'calibration-'));
  for (const [path, text] of [
    ...Object.entries(FILES),
    ['underwriting/rhfs/invented_properties.csv', csvOf(answers)],
  ]) {
    mkdirSync(dirname(join(folder, path ?? '')), { recursive: true });
    writeFileSync(join(folder, path ?? ''), text ?? '');
  }
  return folder;
}

/** Answers whose figures are known by hand. */
const ANSWERS = [
  ...Array.from({ length: 20 }, (_, i) => ofRatio(40 + i)),
  ofRatio(60, { MNGMNT: '1', OPMNG: '0' }),
  ofRatio(48.5, { MNGMNT: '1', OPMNG: '0', OPPAY: '4000' }),
  ofRatio(9),
  ofRatio(121),
  ofRatio(50, { OWNENT: '14' }),
  ofRatio(50, { OWNENT: '13' }),
  ofRatio(50, { OPTAX_R: '0' }),
  ofRatio(50, { OPTAX_R: '18' }),
  ofRatio(50, { OPINSUR: '-9' }),
  ofRatio(50, { YROLDBLG_R: '-9' }),
  ...[30, 31, 32].map((percent) => ofRatio(percent, { YROLDBLG_R: '12' })),
  ...Array.from({ length: 16 }, () => ofRatio(50, { YROLDBLG_R: '5', BED2_R: '3', BED1_R: '1' })),
  ofRatio(50, { NUMUNITS_R: '60', BED2_R: '60', FMR22012: '1000' }),
];

describe('the calibration on made-up files', () => {
  const folder = folderOf(ANSWERS);
  let calibration: Calibration;
  before(async () => {
    calibration = await openCalibration(folder);
  });
  after(async () => {
    await calibration.close();
    rmSync(folder, { recursive: true });
  });
  const rows = async (sql: string): Promise<readonly Row[]> =>
    (await rowsOf(calibration.connection, `SELECT COLUMNS(*)::VARCHAR FROM ${sql}`)) as readonly Row[];
  const cellOf = async (table: string, vintage: string): Promise<Row> =>
    (await rows(`${table} WHERE size = '2_4' AND vintage = '${vintage}'`))[0] ?? {};

  it('takes as a median the least value with half of the weight, and top-codes the mean', async () => {
    const values = "(VALUES ('x', 0.1, 1), ('x', 0.2, 95), ('x', 0.9, 3), ('x', 9.9, 1)) AS t(cell, value, weight)";
    await calibration.connection.run(`CREATE TEMP TABLE some_values AS FROM ${values}`);
    const [found] = await rows("weighted_statistics('some_values')");
    // n_eff: 100 x 100 over 9,036. Mean: 0.1 + 19 + 2.7, and 0.9 for 9.9, over 100.
    assert.deepEqual(found, { cell: 'x', n: '4', n_eff: '1.1', median: '0.2', mean: '0.227000' });
  });
  it('counts complete answers of taxed properties run for profit, with a ratio of 0.10 to 1.20', async () =>
    assert.equal((await cellOf('ref_expense_cells', 'before_1960'))['n'], '22'));
  it('shrinks a cell toward its size and the difference of its vintage', async () => {
    // Medians: 0.50 of all 42, of the 22 and of the 16, 0.31 of the 3. Differences of vintages within the size: 0, 0
    // and -0.19. The prior of the last is 0.50 - 0.19, and its own median equals it.
    assert.equal((await cellOf('ref_expense_cells', 'any'))['shrunk'], '0.5000');
    assert.equal((await cellOf('ref_expense_cells', 'from_2000'))['shrunk'], '0.3100');
  });
  it('counts bedrooms of all properties that collect rent, and shares add up to one', async () => {
    const shares = ['share_0', 'share_1', 'share_2', 'share_3', 'share_4'];
    const mix = await cellOf('ref_bedroom_mixes', '1960_1999');
    assert.deepEqual(
      shares.map((name) => mix[name]),
      ['0.0000', '0.2500', '0.7500', '0.0000', '0.0000'],
    );
    assert.deepEqual(await rows(`ref_bedroom_mixes WHERE ${shares.join(' + ')} <> 1`), []);
  });
  it('takes the mean of a line up to 12 units, in dollars of 2024, and the declared sum of the others', async () => {
    const lines = await rows("ref_expense_lines WHERE line IN ('repairs', 'insurance') ORDER BY size, line");
    assert.deepEqual(
      lines.map(({ size, line, survey_amount: own, amount }) => [size, line, own, amount]),
      [
        ['2_4', 'insurance', '500.00', '695.00'],
        // 46 owners: 2,000 dollars at 40 % and 125 more for each percent make 145,937.50.
        ['2_4', 'repairs', '3172.60', '4409.91'],
        ['50_up', 'insurance', '33.33', '46.33'],
        ['50_up', 'repairs', '216.67', '301.17'],
      ],
    );
    const others = await rows("declared_assumptions WHERE key = 'other_per_unit_2_4'");
    // One owner pays 1,000 of payroll: 21.70 x 1.39.
    assert.equal(others[0]?.['value'], '30');
  });
  it('fits only on the given places', async () => {
    const { connection, close } = await openCalibration(folder, ['1000']);
    assert.deepEqual(await rowsOf(connection, 'SELECT DISTINCT size FROM ref_bedroom_mixes'), [{ size: '50_up' }]);
    await close();
  });
  it('compares a worksheet once, at market rents, without shops, after tax; a loan by its newest year', async () => {
    const found = await underwrite(folder, false);
    assert.deepEqual(
      found.map(({ population, place, units, year, price, real }) => [population, place, units, year, price, real]),
      [
        ['assessor', 'Hyde Park', 8, 1974, 500_000, 43_211.52],
        ['loans', 'Trust', 60, 1970, 3_000_000, 160_000],
      ],
    );
    for (const { ours, cap, price, isInLimits } of found) {
      assert.ok(ours > 0 && isInLimits);
      assert.ok(Math.abs(cap - (ours / price) * 100) < 1e-9);
    }
  });
  it('names the file that is missing', async () => {
    const message = /^\/nowhere\/underwriting\/rhfs\/\*properties\*\.csv is missing\./u;
    await assert.rejects(openCalibration('/nowhere'), { message });
  });
});

/** The arithmetic of `make calibrate`, over invented answers in the format of the survey. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { calibrate, CALIBRATED, prepareCalibration } from '../../../models/calibration/calibrate.ts';
import { MissingFile } from '../../../models/calibration/files.ts';

type Row = Readonly<Record<string, string>>;

const csvOf = (rows: readonly Row[]): string => {
  const names = Object.keys(rows[0] ?? {});
  return `${[names.join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(','))].join('\n')}\n`;
};

/** The code book, as far as the invented answers use it. */
const LABELS = `Variable,Value,Value_Label
MNGMNT,1,Property owner or unpaid agent of owner (such as a family member)
MNGMNT,3,Management company
OPTAX_R,-9,Not reported
OPTAX_R,0,0
OPTAX_R,7,4000 to 4999
OPTAX_R,18,300000 or more
OWNENT,1,"Individual investor, including joint ownership by two or more individuals, such as husband and wife"
OWNENT,13,Housing cooperative organization or stock cooperative
OWNENT,14,"Nonprofit organization (including religious institution, labor union, or fraternal organization)"
YROLDBLG_R,-9,Not reported
YROLDBLG_R,1,1919 or earlier
YROLDBLG_R,2,1920 to 1939
YROLDBLG_R,5,1970 to 1979
YROLDBLG_R,12,2011 to 2012
`;

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

/** A folder of invented files in the layout that the command expects. */
function folderOf(answers: readonly Row[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'calibration-'));
  const put = (path: string, text: string): void => {
    mkdirSync(join(folder, 'underwriting', path, '..'), { recursive: true });
    writeFileSync(join(folder, 'underwriting', path), text);
  };
  const medians = ['NAME', 'B25064_001E', 'B25077_001E', 'B25103_001E', 'B25031_002E', 'B25031_003E', 'B25031_004E'];
  const census = [
    [...medians, 'B25031_005E', 'B25031_006E', 'metropolitan statistical area'],
    ['Akron, OH Metro Area', '1000', '200000', '3001', '700', '-666666666', '950', '1100', '3501', '10420'],
  ];
  put('rhfs/invented_properties.csv', csvOf(answers));
  put('rhfs/invented_value_labels.csv', LABELS);
  put('acs/invented_metro.json', JSON.stringify(census));
  put('insurance/invented_ho3_by_state.csv', 'state,ho3_average_premium_2022_usd\nOH,1000\nUS,1569\n');
  put('tax/state_reassessment_rules.csv', 'state,rule,cite,mark\nOH,x,y,E\nTX,x,y,E partly\n');
  return folder;
}

/** Rows of the computed tables by name. */
async function computed(answers: readonly Row[]): Promise<ReadonlyMap<string, readonly Row[]>> {
  const folder = folderOf(answers);
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  try {
    await calibrate(duck.connection, folder);
    const tables = new Map<string, readonly Row[]>();
    for (const name of [...CALIBRATED, 'expense_ratios']) {
      const rows = await rowsOf(duck.connection, `SELECT columns(*)::VARCHAR FROM ${name}`);
      tables.set(name, rows as readonly Row[]);
    }
    return tables;
  } finally {
    duck.close();
    rmSync(folder, { recursive: true });
  }
}

const cellOf = (rows: readonly Row[] | undefined, size: string, vintage: string): Row =>
  rows?.find((row) => row['size'] === size && row['vintage'] === vintage) ?? {};

describe('weighted statistics', () => {
  let duck: Duck;
  before(async () => {
    duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
    await prepareCalibration(duck.connection);
  });
  after(() => duck.close());

  /** Quartiles of values with weights. */
  async function quartiles(values: readonly (readonly [value: string, weight: number])[]): Promise<unknown> {
    const rows = values.map(([value, weight]) => `('x', ${value}::DECIMAL(18, 6), exact_weight(${weight}))`);
    await duck.connection.run(
      `CREATE OR REPLACE TABLE some_values AS SELECT * FROM (VALUES ${rows.join(', ')}) AS t(cell, value, weight)`,
    );
    return (await rowsOf(duck.connection, "SELECT * FROM weighted_quartiles('some_values')"))[0];
  }

  it('are the least values with a quarter, half and three quarters of the weight', async () =>
    assert.deepEqual(
      await quartiles([
        ['0.4', 1],
        ['0.1', 1],
        ['0.3', 1],
        ['0.2', 1],
      ]),
      {
        cell: 'x',
        n: 4,
        n_eff: '4.0',
        q1: '0.100000',
        median: '0.200000',
        q3: '0.300000',
      },
    ));
  it('follow the weight, not the number', async () =>
    assert.deepEqual(
      await quartiles([
        ['0.1', 1],
        ['0.2', 1],
        ['0.9', 3],
      ]),
      {
        cell: 'x',
        n: 3,
        n_eff: '2.3', // 25 over 11
        q1: '0.200000',
        median: '0.900000',
        q3: '0.900000',
      },
    ));
  it('count equal values together', async () =>
    assert.deepEqual(
      await quartiles([
        ['0.5', 1],
        ['0.5', 1],
        ['0.7', 1],
      ]),
      {
        cell: 'x',
        n: 3,
        n_eff: '3.0',
        q1: '0.500000',
        median: '0.500000',
        q3: '0.700000',
      },
    ));
  it('draw a figure toward its prior as 30 properties', async () => {
    const [row] = await rowsOf(duck.connection, 'SELECT drawn_toward(0.5330, 0.5560, 47.4, 30.0) AS x');
    assert.equal(row?.['x'], '0.5471'); // (47.4 x 0.5560 + 30 x 0.5330) / 77.4
  });
});

describe('the survey of landlords', () => {
  let tables: ReadonlyMap<string, readonly Row[]>;
  before(async () => {
    tables = await computed([
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
    ]);
  });

  it('counts complete answers of taxed properties run for profit, with a ratio of 0.10 to 1.20', () =>
    assert.deepEqual(cellOf(tables.get('expense_cells'), '2_4', 'before_1960')['n'], '22'));
  it('charges an owner who manages and pays nobody 8 % of 50,000 on top of 26,000 of expenses', () => {
    const highest = tables
      .get('expense_ratios')
      ?.map((row) => row['ratio'] ?? '')
      .sort()
      .at(-1);
    assert.equal(highest, '0.600000');
  });
  it('charges nothing to an owner who pays staff', () =>
    assert.ok(tables.get('expense_ratios')?.some((row) => row['ratio'] === '0.485000')));
  it('takes the middle of a band of taxes', () =>
    assert.equal(
      tables.get('expense_lines')?.find((row) => row['size'] === '2_4' && row['line'] === 'property_tax')?.['q1'],
      '1125.00',
    ));
  it('shows the quartiles of the size where fewer than 15 effective properties answered', () => {
    const [thin, parent] = ['from_2000', 'any'].map((vintage) => cellOf(tables.get('expense_cells'), '2_4', vintage));
    assert.deepEqual([thin?.['basis'], thin?.['n'], thin?.['n_eff']], ['parent', '3', '3.0']);
    assert.deepEqual(
      ['q1', 'median', 'q3'].map((name) => thin?.[name]),
      ['q1', 'median', 'q3'].map((name) => parent?.[name]),
    );
    assert.notEqual(thin?.['shrunk'], parent?.['shrunk']);
  });
  it('draws a cell toward its size and the difference of its vintage', () => {
    const cells = tables.get('expense_cells');
    // Medians: 0.50 of all 42, of the 22 and of the 16, 0.31 of the 3. Differences of vintages within the size: 0, 0
    // and -0.19. The prior of the last is 0.50 - 0.19, and its own median equals it.
    assert.equal(cellOf(cells, '2_4', 'any')['shrunk'], '0.5000');
    assert.equal(cellOf(cells, '2_4', 'from_2000')['shrunk'], '0.3100');
  });
  it('counts bedrooms of all properties that collect rent, and shares add up to one', () => {
    const mix = cellOf(tables.get('bedroom_mixes'), '2_4', '1960_1999');
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((bedrooms) => mix[`share_${bedrooms}`]),
      ['0.0000', '0.2500', '0.7500', '0.0000', '0.0000'],
    );
    for (const row of tables.get('bedroom_mixes') ?? []) {
      const tenThousandths = [0, 1, 2, 3, 4].map((b) => BigInt((row[`share_${b}`] ?? '').replace('.', '')));
      assert.equal(
        tenThousandths.reduce((sum, share) => sum + share, 0n),
        10_000n,
      );
    }
  });
  it('states a line in dollars of 2024', () => {
    const insurance = tables.get('expense_lines')?.find((row) => row['line'] === 'insurance');
    assert.deepEqual(
      [insurance?.['survey_amount'], insurance?.['amount'], insurance?.['counted']],
      ['500.00', '695.00', 'who_paid'],
    );
  });
});

describe('the other files', () => {
  let tables: ReadonlyMap<string, readonly Row[]>;
  before(async () => {
    tables = await computed([ofRatio(50), ofRatio(50, { NUMUNITS_R: '60', BED2_R: '60' })]);
  });

  it('a missing figure of the census and one above its classes are null', () => {
    const akron = tables.get('census_metros')?.[0];
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((bedrooms) => akron?.[`gross_rent_${bedrooms}`]),
      ['700.00', null, '950.00', '1100.00', null],
    );
    assert.equal(akron?.['tax_rate'], '0.015005');
  });
  it("a state's insurance is the square root of its premium over the national one", () =>
    assert.equal(tables.get('insurance_states')?.[0]?.['factor'], '0.7983')); // 0.79834...^2 = 1000 / 1569
  it('a statute counts as read only if the notes say so', () => {
    const confirmed = (state: string) => tables.get('tax_rules')?.find((row) => row['state'] === state)?.['confirmed'];
    assert.deepEqual([confirmed('OH'), confirmed('TX'), confirmed('SC')], ['true', 'false', 'false']);
  });
  it('names the file that is missing', async () => {
    const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
    await assert.rejects(calibrate(duck.connection, '/nowhere'), (error) => {
      assert.ok(error instanceof MissingFile);
      assert.match(error.message, /^\/nowhere\/underwriting\/rhfs\/\*properties\*\.csv is missing\./u);
      return true;
    });
    duck.close();
  });
});

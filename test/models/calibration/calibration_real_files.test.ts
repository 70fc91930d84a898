/** What is fitted on real files, where the folder that holds them is present. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { rowsOf } from '../../../lib/duck.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { calibratedTables, openCalibration } from '../../../models/calibration/calibrate.ts';
import { underwrite } from '../../../models/calibration/compare.ts';
import { coverageOf, fitRanges, halvesOf, measuredFiles, rangesCsv } from '../../../models/calibration/measure.ts';
import { thorough } from '../../thorough.ts';

const REAL = process.env['FOLDER'] ?? fileURLToPath(new URL('../../../../shared/real', import.meta.url));
const skip = existsSync(`${REAL}/underwriting`) ? false : 'the folder of real files is not here';

test('every committed table and fitted assumption is computed from the files, byte by byte', { skip }, async () => {
  for (const [path, text] of await calibratedTables(REAL)) assert.equal(readFileSync(path, 'utf8'), text, path);
  const { connection, close } = await openCalibration(REAL);
  const fitted = await rowsOf(connection, 'SELECT key, value FROM declared_assumptions');
  await close();
  assert.deepEqual(
    fitted,
    currentAssumptions().rows.map(({ key, value }) => ({ key, value })),
  );
});

test(
  'the range is that of the files, and holds for the half of the rent groups on which it was not fitted',
  { skip },
  async () => {
    const owners = await underwrite(REAL, true);
    const table = new URL('../../../models/reference/noi_ranges.csv', import.meta.url);
    assert.equal(rangesCsv(fitRanges(owners)), readFileSync(table, 'utf8'));
    const halves = Array.from({ length: 200 }, (_, seed) => {
      const [fitted] = halvesOf(owners, seed);
      const isFitted = owners.filter(({ place }) => fitted.includes(place));
      return { knots: fitRanges(isFitted), others: owners.filter((each) => !isFitted.includes(each)) };
    });
    const groups = {
      all: () => true,
      '2 to 12 units': ({ units }: (typeof owners)[number]) => units <= 12,
      'our cap rate of 6 and more': ({ cap }: (typeof owners)[number]) => cap >= 6,
    };
    for (const [group, isIn] of Object.entries(groups)) {
      const covered = halves.map(({ knots, others }) => coverageOf(knots, others.filter(isIn)));
      const mean = (key: keyof (typeof covered)[number]): number =>
        covered.reduce((total, each) => total + each[key], 0) / covered.length;
      assert.ok(Math.abs(mean('within_pct') - 50) <= 10, `${group}: ${mean('within_pct')} % in range`);
      assert.ok(Math.abs(mean('below_low_pct') - 25) <= 10, `${group}: ${mean('below_low_pct')} % below`);
    }
  },
);

// The survey's tables are fitted again on ten halves: a minute.
test(
  'the measured errors are computed from the files',
  { skip: skip || thorough<string | false>('only make prove measures again', false) },
  async () => {
    for (const [path, text] of await measuredFiles(REAL)) assert.equal(readFileSync(path, 'utf8'), text, path);
  },
);

/** The committed calibrated tables are those of the real files, where the folder that holds them is present. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { openDuck } from '../../../lib/duck.ts';
import { calibrate, referenceNamed } from '../../../models/calibration/calibrate.ts';
import { compareNoi } from '../../../models/calibration/compare.ts';
import { CALIBRATION_FILES, COMPARISON_FILES, hasFiles } from '../../../models/calibration/files.ts';
import { POPULATIONS } from '../../../models/references.ts';
import { thorough } from '../../thorough.ts';

const REAL = process.env['FOLDER'] ?? fileURLToPath(new URL('../../../../shared/real', import.meta.url));
const skip = hasFiles(REAL, [...CALIBRATION_FILES, ...COMPARISON_FILES])
  ? false
  : 'the folder of real files is not here';

const committed = (name: string): string => readFileSync(referenceNamed(name).csvPath, 'utf8');

test('every committed table is computed from the files, byte by byte', { skip }, async () => {
  const duck = await openDuck(':memory:', { threads: 2, memoryLimit: '1GB' });
  try {
    for (const [name, text] of await calibrate(duck.connection, REAL)) assert.equal(text, committed(name), name);
  } finally {
    duck.close();
  }
});

// The assessor's worksheets are most of the time: make prove compares them too.
test('the committed comparison with real NOI is computed from the files', { skip }, async () => {
  const populations = thorough(
    POPULATIONS.filter((population) => population !== 'assessor'),
    [...POPULATIONS],
  );
  const lines = committed('noi_comparisons').split('\n');
  const isCompared = (line: string): boolean =>
    !line.startsWith('assessor,') || populations.some((population) => population === 'assessor');
  assert.equal(await compareNoi(REAL, populations), lines.filter(isCompared).join('\n'));
});

/** The committed comparison with real NOI is that of the real files, where the folder that holds them is present. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { referenceNamed } from '../../../models/calibration/calibrate.ts';
import { compareNoi } from '../../../models/calibration/compare.ts';
import { CALIBRATION_FILES, COMPARISON_FILES, hasFiles } from '../../../models/calibration/files.ts';

const REAL = process.env['FOLDER'] ?? fileURLToPath(new URL('../../../../shared/real', import.meta.url));
const skip = hasFiles(REAL, [...CALIBRATION_FILES, ...COMPARISON_FILES])
  ? false
  : 'the folder of real files is not here';

test('the committed comparison with real NOI is computed from the files, byte by byte', { skip }, async () =>
  assert.equal(await compareNoi(REAL), readFileSync(referenceNamed('noi_comparisons').csvPath, 'utf8')),
);

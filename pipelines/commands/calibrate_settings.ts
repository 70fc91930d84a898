/** Settings of `make calibrate`. docs/settings.md is generated from here. */
import { z } from 'zod';
import { zeroOrOne } from '../../lib/settings.ts';

export const calibrateSettings = z.object({
  FOLDER: z
    .string()
    .default('data/calibration')
    .describe('`make calibrate`: folder with the raw public files, laid out as models/calibration/files.ts says.'),
  WRITE: zeroOrOne
    .default(false)
    .describe('`make calibrate`: 1 writes the tables of models/reference and the comparison; 0 shows differences.'),
});

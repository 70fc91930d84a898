/** `make calibrate`: write what is fitted on raw public files: reference tables, the range and the measured errors. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { runCommand } from '../../lib/command.ts';
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { calibratedTables } from '../../models/calibration/calibrate.ts';
import { measuredFiles } from '../../models/calibration/measure.ts';
import { failureText } from '../failure.ts';

export const calibrateSettings = z.object({
  FOLDER: z
    .string()
    .default('data/calibration')
    .describe('`make calibrate`: folder with the raw public files, laid out as models/calibration/calibrate.ts says.'),
});

async function main(): Promise<number> {
  const { FOLDER } = readSettings(calibrateSettings);
  // The errors are measured with the tables that were just written.
  for (const compute of [calibratedTables, measuredFiles])
    for (const [path, text] of await compute(FOLDER)) {
      print(`${basename(path)}: ${readFileSync(path, 'utf8') === text ? 'unchanged' : 'written'}`);
      writeFileSync(path, text);
    }
  return 0;
}

if (import.meta.main) await runCommand(main, failureText);

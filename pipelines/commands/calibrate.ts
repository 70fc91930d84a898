/** `make calibrate`: recompute the calibrated reference tables from raw public files, and show the differences. */
import { readFileSync, writeFileSync } from 'node:fs';
import { openDuck } from '../../lib/duck.ts';
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { calibrate, referenceNamed } from '../../models/calibration/calibrate.ts';
import { compareNoi } from '../../models/calibration/compare.ts';
import { runCli } from '../analyse/run_cli.ts';
import { calibrateSettings } from './calibrate_settings.ts';

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Lines of one text that are missing from the other, each with a mark. */
export function differences(committed: string, computed: string): string[] {
  const [before, after] = [linesOf(committed), linesOf(computed)];
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
}

/**
 * Compare, and write if requested.
 * @returns whether the committed table equals the computed one
 */
function report(name: string, computed: string, isWritten: boolean): boolean {
  const { csvPath } = referenceNamed(name);
  const committed = readFileSync(csvPath, 'utf8');
  const rows = linesOf(computed).length - 1;
  if (committed === computed) {
    print(`${name}: ${rows} rows, identical`);
    return true;
  }
  print(`${name}: ${rows} rows, different from models/reference/${name}.csv`);
  for (const line of differences(committed, computed)) print(`  ${line}`);
  if (isWritten) writeFileSync(csvPath, computed);
  return isWritten;
}

async function main(): Promise<number> {
  const { FOLDER, WRITE } = readSettings(calibrateSettings);
  const duck = await openDuck();
  try {
    const texts = await calibrate(duck.connection, FOLDER);
    const tables = [...texts].map(([name, text]) => report(name, text, WRITE));
    const comparison = report('noi_comparisons', await compareNoi(FOLDER), WRITE);
    const same = [...tables, comparison];
    if (same.every(Boolean)) return 0;
    print('The committed tables differ. WRITE=1 writes the computed ones.');
    return 1;
  } finally {
    duck.close();
  }
}

if (import.meta.main) await runCli(main);

/** `make diff A=... B=...`: what changed between two snapshots. */
import { readSettings, SettingError } from '../../lib/settings.ts';
import { layoutOf } from '../layout.ts';
import { operatorSettings } from '../operate/settings.ts';
import { say } from '../../lib/output.ts';
import { number } from '../run/summary.ts';
import { diffSnapshots, linesOfDiff, writeChanges } from './diff.ts';
import { snapshotNamed } from './opened.ts';
import { analystSettings } from './settings.ts';
import { readable } from './show.ts';

async function main(): Promise<void> {
  const { DATA_DIR, A, B, OUT } = readSettings(analystSettings);
  const { ALL } = readSettings(operatorSettings);
  const layout = layoutOf(DATA_DIR);
  const diff = await diffSnapshots(
    layout,
    await snapshotNamed(layout, 'A', A),
    await snapshotNamed(layout, 'B', B),
    ALL,
  );
  try {
    // A file that cannot be written is told before a screen of changes.
    const written = OUT === undefined ? null : await writeChanges(diff, OUT);
    for (const line of await linesOfDiff(diff)) say(line);
    if (written !== null) say(`${number(written)} changes written into ${OUT ?? ''}`);
    else say('some of the changes are shown; OUT=changes.ndjson or .parquet writes all of them');
  } finally {
    diff.duck.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof SettingError ? error.message : readable(error)}\n`);
  process.exitCode = 1;
}

/** `make diff A=... B=...`: changes between two snapshots. */
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { layoutOf } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { statusArguments } from '../operate/settings.ts';
import { number, wrapLine } from '../format.ts';
import { diffSnapshots, formatDiff, writeChanges } from './diff.ts';
import { snapshotNamed } from './open_snapshot.ts';
import { runCli, screenWidth } from './run_cli.ts';
import { analystSettings } from './settings.ts';

async function main(): Promise<number> {
  const { DATA_DIR, A, B, OUT } = readSettings(analystSettings);
  const { ALL } = readSettings(statusArguments);
  const layout = layoutOf(DATA_DIR);
  const release = holdForReading(layout);
  const [runA, runB] = [await snapshotNamed(layout, 'A', A), await snapshotNamed(layout, 'B', B)];
  const diff = await diffSnapshots(layout, runA, runB, { includeAll: ALL });
  try {
    // Write first: an error about the file must not follow a screen of changes.
    const written = OUT === undefined ? null : await writeChanges(diff.duck, OUT);
    for (const line of await formatDiff(diff)) for (const part of wrapLine(line, screenWidth())) print(part);
    const end =
      written === null
        ? 'Only some changes are shown. OUT=changes.ndjson or OUT=changes.parquet writes all of them.'
        : `${number(written)} changes written to ${OUT ?? ''}`;
    for (const line of wrapLine(end, screenWidth())) print(line);
    return 0;
  } finally {
    diff.duck.close();
    release();
  }
}

await runCli(main);

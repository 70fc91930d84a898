/** `make explain ID=... [FIELD=...]`: where a number comes from. */
import { readSettings, SettingError } from '../../lib/settings.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { say } from '../../lib/output.ts';
import { explain } from './explain/explain.ts';
import { linesOf } from './explain/lines.ts';
import { openSnapshot } from './opened.ts';
import { analystSettings } from './settings.ts';
import { readable } from './show.ts';

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, ID, TABLE, FIELD } = readSettings(analystSettings);
  if (ID === undefined)
    throw new SettingError(
      'ID is null, expected the id of a deal, lead, signal, auction or filing; make sql shows them',
    );
  const opened = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    const explained = await explain(opened, await openArchive(DATA_DIR), await loadSources(), ID, TABLE);
    for (const line of linesOf(explained, FIELD, process.stdout.isTTY ? process.stdout.columns : Infinity)) say(line);
    // A number that cannot be walked back to its bytes is a failure that a script sees.
    return explained.pages.every((p) => p.hash === 'verified') ? 0 : 1;
  } finally {
    opened.duck.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof SettingError ? error.message : readable(error)}\n`);
  process.exitCode = 1;
}

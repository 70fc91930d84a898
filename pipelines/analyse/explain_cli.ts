/** `make explain ID=... [FIELD=...]`: trace the figures of a row to their sources, or write an archived page. */
import { readSettings, SettingError } from '../../lib/settings.ts';
import { openArchive } from '../../lib/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { printLines } from '../format.ts';
import { layoutOf } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { explain, fieldOrigin } from './explain/explain.ts';
import { formatExplanation } from './explain/format.ts';
import { openSnapshot } from './open_snapshot.ts';
import { runCli } from './run_cli.ts';
import { analystSettings } from './settings.ts';

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, ID, TABLE, FIELD } = readSettings(analystSettings);
  if (ID === undefined)
    throw new SettingError(
      'ID is not set, expected the id of a deal, lead, signal, auction or filing, or the hash of a page; see make sql',
    );
  const archive = await openArchive(DATA_DIR);
  if (/^[0-9a-f]{64}$/u.test(ID)) {
    process.stdout.write(await archive.read(ID));
    return 0;
  }
  const release = holdForReading(layoutOf(DATA_DIR));
  const snapshot = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    const inputs = { snapshot, archive, sources: await loadSources() };
    const explanation = await explain(inputs, ID, TABLE);
    const origin = FIELD === undefined ? '' : await fieldOrigin(snapshot.duck.connection, explanation, FIELD);
    printLines(formatExplanation(explanation, FIELD, origin));
    // A script must notice archived bytes that do not verify.
    return explanation.pages.every((page) => page.hash === 'verified') ? 0 : 1;
  } finally {
    snapshot.duck.close();
    release();
  }
}

await runCli(main);

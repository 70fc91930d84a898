/** `make profile`: a report of a snapshot as one HTML file. */
import { resolve } from 'node:path';
import { writeWhole } from '../../lib/files.ts';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { say } from '../../lib/output.ts';
import { bytesShort } from '../run/summary.ts';
import { diffSnapshots } from './diff.ts';
import { openSnapshot } from './opened.ts';
import { factsOf } from './profile/facts.ts';
import { profilePage } from './profile/page.ts';
import { analystSettings } from './settings.ts';
import { readable } from './show.ts';

async function main(): Promise<void> {
  const { DATA_DIR, SNAPSHOT, OUT } = readSettings(analystSettings);
  if (OUT !== undefined && !OUT.endsWith('.html'))
    throw new SettingError(`OUT is ${JSON.stringify(OUT)}, expected a file that ends with .html`);
  const { duck, manifest, layout } = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    // The one before may have been pruned.
    const before =
      manifest.previous === null
        ? null
        : await diffSnapshots(layout, manifest.previous, manifest.run_id).catch(() => null);
    const page = await profilePage(manifest, await factsOf(duck.connection), before);
    before?.duck.close();
    const path = resolve(OUT ?? `${DATA_DIR}/profile.html`);
    await writeWhole(path, page);
    say(`${path}, ${bytesShort(Buffer.byteLength(page))}: open it in a browser`);
  } finally {
    duck.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof SettingError ? error.message : readable(error)}\n`);
  process.exitCode = 1;
}

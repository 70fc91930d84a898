/** `make profile`: a report of a snapshot as one HTML file. */
import { resolve } from 'node:path';
import { writeWhole } from '../../lib/files.ts';
import { print } from '../../lib/output.ts';
import { readSettings, SettingError } from '../../lib/settings.ts';
import type { Manifest } from '../../models/manifest.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { bytesShort } from '../format.ts';
import { diffSnapshots, type Diff } from './diff/diff.ts';
import { openSnapshot } from './open_snapshot.ts';
import { queryFacts } from './profile/facts.ts';
import { profilePage } from './profile/page.ts';
import { runCli } from './run_cli.ts';
import { analystSettings } from './settings.ts';

/** Changes since the previous snapshot; null if there is none, or it was pruned. */
async function changesSincePrevious(layout: Layout, { previous, run_id: runId }: Manifest): Promise<Diff | null> {
  return previous === null ? null : diffSnapshots(layout, previous, runId).catch(() => null);
}

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT, OUT } = readSettings(analystSettings);
  if (OUT !== undefined && !OUT.endsWith('.html'))
    throw new SettingError(`OUT is ${JSON.stringify(OUT)}, expected a file that ends with .html`);
  const release = holdForReading(layoutOf(DATA_DIR));
  const { duck, manifest, layout } = await openSnapshot(DATA_DIR, SNAPSHOT);
  try {
    const changes = await changesSincePrevious(layout, manifest);
    const page = await profilePage(manifest, await queryFacts(duck.connection), changes);
    changes?.duck.close();
    const path = resolve(OUT ?? `${DATA_DIR}/profile.html`);
    await writeWhole(path, page);
    print(`Wrote ${path} (${bytesShort(Buffer.byteLength(page))}). Open it in a browser.`);
    return 0;
  } finally {
    duck.close();
    release();
  }
}

await runCli(main);

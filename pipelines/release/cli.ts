/** `make release`: a dated, citable release of a snapshot. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { print } from '../../lib/output.ts';
import { readSettings } from '../../lib/settings.ts';
import { snapshotNamed } from '../analyse/open_snapshot.ts';
import { runCli } from '../analyse/run_cli.ts';
import { analystSettings } from '../analyse/settings.ts';
import { bytesShort, plural } from '../format.ts';
import { layoutOf } from '../layout.ts';
import { holdForReading } from '../run/lock.ts';
import { release } from './release.ts';

async function main(): Promise<number> {
  const { DATA_DIR, SNAPSHOT } = readSettings(analystSettings);
  const layout = layoutOf(DATA_DIR);
  const done = holdForReading(layout);
  try {
    const { folder, files, isNew, manifest, permissionsNeeded, previous } = await release(
      layout,
      await snapshotNamed(layout, 'SNAPSHOT', SNAPSHOT),
    );
    print(`${isNew ? 'Released' : 'Already released, and unchanged'}: ${folder}`);
    for (const name of files) print(`  ${bytesShort((await stat(join(folder, name))).size).padStart(8)}  ${name}`);
    const compared = previous === null ? 'the first release in its folder' : `compared with release ${previous}`;
    print(`${plural(files.length, 'file')}; ${compared}.`);
    if (manifest.notice !== '') print(manifest.notice);
    if (permissionsNeeded.length > 0)
      print(
        `Before you share it, ask for permission. Rows of ${plural(permissionsNeeded.length, 'source')} may be ` +
          `shared only as the owner permits: ${permissionsNeeded.join('; ')}.`,
      );
    return 0;
  } finally {
    done();
  }
}

await runCli(main);

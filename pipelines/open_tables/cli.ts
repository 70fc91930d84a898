/** `make tables`: write the Iceberg metadata of the published snapshots. */
import { resolve } from 'node:path';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { runCli } from '../analyse/run_cli.ts';
import { plural } from '../format.ts';
import { layoutOf } from '../layout.ts';
import { holdFolder } from '../run/lock.ts';
import { writeOpenTables } from './write.ts';

async function main(): Promise<number> {
  const { DATA_DIR, TABLES_URL } = readSettings(pipelineSettings);
  const layout = layoutOf(DATA_DIR);
  const release = await holdFolder(layout);
  try {
    const written = await writeOpenTables(layout, TABLES_URL);
    print(
      written.length === 0
        ? `The metadata in ${layout.iceberg} is up to date.`
        : `Wrote the metadata of ${plural(written.length, 'table')} into ${layout.iceberg}: ${written.join(', ')}.`,
    );
    print(`Readers find the data at ${TABLES_URL ?? resolve(layout.root)}.`);
    return 0;
  } finally {
    release();
  }
}

await runCli(main);

/** `make tables`: write the Iceberg metadata of the published snapshots, in the data folder and in the store. */
import { resolve } from 'node:path';
import { print } from '../../lib/output.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { readCatalog } from '../../lib/store/catalog.ts';
import { openStore } from '../../lib/store/open.ts';
import { runCli } from '../analyse/run_cli.ts';
import { plural } from '../format.ts';
import { layoutOf, type Layout } from '../layout.ts';
import { holdFolder } from '../run/lock.ts';
import { writeStoredTables } from '../store/stored_tables.ts';
import { writeOpenTables } from './write.ts';

/** @throws StoreUnavailable, StoreDamage */
async function writeToStore(address: string, layout: Layout, url: string | undefined): Promise<void> {
  const store = await openStore(address);
  try {
    const read = await readCatalog(store);
    const written = read === null ? [] : await writeStoredTables(store, layout, read.catalog, url);
    print(`Wrote the metadata of ${plural(written.length, 'table')} into STORE ${store.shown}.`);
  } finally {
    store.close();
  }
}

async function main(): Promise<number> {
  const { DATA_DIR, TABLES_URL, STORE } = readSettings(pipelineSettings);
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
    if (STORE !== undefined) await writeToStore(STORE, layout, TABLES_URL);
    return 0;
  } finally {
    release();
  }
}

await runCli(main);

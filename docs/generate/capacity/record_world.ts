/**
 * Writes world.json: what a first day of the default world requests, receives, reads and publishes.
 *   make run DATA_DIR=/tmp/world && node docs/generate/capacity/record_world.ts /tmp/world
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { Manifest } from '../../../models/manifest.ts';
import { print } from '../../../lib/output.ts';
import { WORLD_FILE, WORLD_PATH, type World } from './world.ts';

const manifest = Manifest.parse(
  JSON.parse(await readFile(join(process.argv[2] ?? 'data', 'current', 'manifest.json'), 'utf8')),
);
if (manifest.data_clock !== 'sandbox') throw new Error('the snapshot is of the real web, expected one of the sandbox');
if (manifest.previous !== null) throw new Error(`the snapshot continues ${manifest.previous}, expected a first day`);

const world: World = {
  run: manifest.run_id,
  sources: Object.fromEntries(
    manifest.sources.map(({ source, traffic, rows_in }) => [
      source,
      { requests: traffic.requests, bytes: traffic.bytes, rows: rows_in },
    ]),
  ),
  tables: Object.fromEntries(Object.entries(manifest.tables).map(([name, { rows, bytes }]) => [name, { rows, bytes }])),
  database: manifest.database.bytes,
};
await writeFile(WORLD_FILE, await format(JSON.stringify(world), { parser: 'json', printWidth: 120 }));
print(`wrote ${WORLD_PATH}; now run: make docs`);

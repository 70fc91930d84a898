/** Serving files of a snapshot whose DuckDB file was written or changed by hand, for measures and tests. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck, typesOf } from '../lib/duck.ts';
import { sha256OfFile } from '../lib/files.ts';
import { identifier, literal } from '../lib/sql.ts';
import { columnsOfFile } from '../lib/stored_types.ts';
import { loadMarts, loadReferences, referenceSql, selectMacros } from '../models/index.ts';
import type { Manifest } from '../models/manifest.ts';
import { LOOKUP_TABLES } from '../models/serving/lookup_tables.ts';
import { SERVING_FILES, TABLE_NAMES } from '../models/serving/tables.ts';
import { shownRecord } from '../pipelines/run/finish_database.ts';
import { writeServingFile } from '../pipelines/run/serving_file.ts';

/** Write the serving files of a snapshot from its DuckDB file. @returns their entries in the manifest */
export async function writeServingFiles(folder: string, database: string): Promise<Manifest['serving']> {
  const duck = await openDuck(':memory:', { memoryLimit: '8GB' });
  try {
    const { connection } = duck;
    await connection.run(`ATTACH ${literal(join(folder, database))} AS published (READ_ONLY)`);
    await connection.run(`SET file_search_path = ${literal(folder)}`);
    for (const mart of (await loadMarts()).filter(({ name }) => TABLE_NAMES.some((table) => table === name))) {
      const { name, contract } = mart;
      const table = `published.main.${identifier(name)}`;
      const columns = columnsOfFile(shownRecord(mart).columns, await typesOf(connection, table));
      const order = contract.publish.orderBy.join(', ');
      await connection.run(`CREATE VIEW ${identifier(name)} AS SELECT ${columns} FROM ${table} ORDER BY ${order}`);
    }
    await connection.run(selectMacros(LOOKUP_TABLES.map(({ sql }) => sql)));
    for (const reference of loadReferences().filter(({ name }) => name === 'county_zips'))
      for (const sql of referenceSql(reference)) await connection.run(sql);
    const entries: Manifest['serving'] = [];
    for (const file of SERVING_FILES.keys()) {
      const path = join(folder, file);
      await rm(path, { force: true });
      await writeServingFile(connection, file, path);
      entries.push({ file, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) });
    }
    return entries;
  } finally {
    duck.close();
  }
}

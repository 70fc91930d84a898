/** Serving files of a snapshot whose DuckDB file was written or changed by hand, for measures and tests. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from '../lib/closing.ts';
import { openDuck, typesOf } from '../lib/duck.ts';
import { identifier, literal } from '../lib/sql.ts';
import { columnsOfFile } from '../lib/stored_types.ts';
import { loadMarts, selectMacros } from '../models/index.ts';
import type { Manifest } from '../models/manifest.ts';
import { LOOKUP_TABLES } from '../models/serving/lookup_tables.ts';
import { TABLE_NAMES } from '../models/serving/tables.ts';
import { shownRecord } from '../pipelines/run/finish_database.ts';
import { writeServing } from '../pipelines/run/publish.ts';
import { newsOf } from '../pipelines/run/serving_file.ts';

/** The other tables that a file of filings is written from. */
const FROM_FILINGS = [
  'CREATE VIEW registers AS SELECT source, min(first_seen) AS first_seen FROM filings GROUP BY source',
  `CREATE VIEW agents AS SELECT source, agent_of(registered_agent_name) AS agent, max(agent_filings) AS filings
    FROM filings WHERE agent_filings IS NOT NULL GROUP BY ALL`,
  `CREATE VIEW ${newsOf('filings')} AS FROM filings`,
];

/** Write the serving files of a snapshot from its DuckDB file. @returns their entries in the manifest */
export async function writeServingFiles(folder: string, database: string): Promise<Manifest['serving']> {
  await using duck = closing(await openDuck(':memory:', { memoryLimit: '8GB' }));
  const { connection } = duck;
  await connection.run(`ATTACH ${literal(join(folder, database))} AS published (READ_ONLY)`);
  await connection.run(`SET file_search_path = ${literal(folder)}`);
  for (const mart of (await loadMarts()).filter(({ name }) => TABLE_NAMES.some((table) => table === name))) {
    const { name, contract } = mart;
    const table = `published.main.${identifier(name)}`;
    const columns = columnsOfFile(shownRecord(mart).columns, await typesOf(connection, table));
    const order = contract.publish.orderBy.join(', ');
    await connection.run(`CREATE TABLE ${identifier(name)} AS SELECT ${columns} FROM ${table} ORDER BY ${order}`);
  }
  await connection.run(selectMacros([...LOOKUP_TABLES.map(({ sql }) => sql), ...FROM_FILINGS]));
  for (const sql of FROM_FILINGS) await connection.run(sql);
  for (const file of await readdir(folder)) if (file.endsWith('.sqlite')) await rm(join(folder, file));
  return await writeServing(connection, { folder, before: { folder, serving: [] } });
}

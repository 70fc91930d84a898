/** The database in which the rows of a read, or of a shard of it, are checked and sorted. */
import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openDuck, openSmall } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import type { RowsToLoad } from './load_rows.ts';

/** Pages of this size and more get a database of their own, which spills to the disk. */
const LARGE_BYTES = 16_000_000;
const LARGE_MEMORY = '1GB';

/** Open a database for the rows of these pages. A large one spills to disk in the folder of the staged file. */
export async function openStaging({ pages, target }: Pick<RowsToLoad, 'pages' | 'target'>): Promise<{
  readonly connection: DuckDBConnection;
  close(): Promise<void>;
}> {
  if (pages.reduce((bytes, page) => bytes + page.size, 0) < LARGE_BYTES) return openSmall();
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: LARGE_MEMORY });
  const spill = `${target}.spill.tmp`;
  await duck.connection.run(`SET temp_directory = ${literal(spill)}`);
  return {
    connection: duck.connection,
    async close() {
      duck.close();
      await rm(spill, { recursive: true, force: true });
    },
  };
}

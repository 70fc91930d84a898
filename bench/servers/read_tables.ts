/**
 * Reads every column of every Parquet file of a snapshot once, and ends.
 *   node bench/servers/read_tables.ts <snapshot folder> <tables|values>
 * tables: into tables in memory, as one who is to answer from them must. values: decoded and hashed, and let go.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuck } from '../../lib/duck.ts';
import { identifier, literal } from '../../lib/sql.ts';

const [folder, how] = process.argv.slice(2);
if (folder === undefined || (how !== 'tables' && how !== 'values'))
  throw new Error('give the folder of a snapshot, and tables or values');
const duck = await openDuck();
for (const file of (await readdir(folder)).filter((name) => name.endsWith('.parquet'))) {
  const rows = `read_parquet(${literal(join(folder, file))})`;
  await duck.connection.run(
    how === 'tables'
      ? `CREATE TABLE ${identifier(file)} AS SELECT * FROM ${rows}`
      : `SELECT bit_xor(hash(COLUMNS(*))) FROM ${rows}`,
  );
}
// The tables are let go with the process, as a server's are.
process.exit();

/** Writes the changes of a diff into a file. */
import { rowsOf, type Duck } from '../../../lib/duck.ts';
import { SettingError } from '../../../lib/settings.ts';
import { literal } from '../../../lib/sql.ts';

/** COPY options by the ending of the file. */
const FORMATS: Readonly<Record<string, string>> = {
  '.parquet': 'FORMAT parquet, COMPRESSION zstd',
  '.ndjson': 'FORMAT json',
};

/**
 * Write the table `changes` of a diff: one line of JSON or one row of Parquet each.
 * @returns the number of changes
 * @throws SettingError if the file has another ending
 */
export async function writeChanges({ connection }: Duck, path: string): Promise<number> {
  const format = FORMATS[/\.[a-z]+$/u.exec(path)?.[0] ?? ''];
  if (format === undefined)
    throw new SettingError(`OUT is ${JSON.stringify(path)}, expected a file that ends with .ndjson or .parquet`);
  await connection.run(`COPY (FROM changes ORDER BY ALL) TO ${literal(path)} (${format})`);
  const [count] = await rowsOf(connection, 'SELECT count(*) AS n FROM changes');
  return Number(count?.['n']);
}

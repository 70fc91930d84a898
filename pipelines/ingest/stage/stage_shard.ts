/**
 * A shard of a read, staged in its own files: its accepted rows as Parquet, and its rejects. A run concatenates the
 * shards.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';
import { makeFolder, readJson, sha256OfFile, writeWhole } from '../../../lib/files.ts';
import { literal } from '../../../lib/sql.ts';
import { RejectedRow } from '../../../models/inputs.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import { createFresh, loadHere, type Loaded, type RowsToLoad } from './load_rows.ts';
import type { ReadPage } from '../read_page.ts';
import { openStaging } from './staging_database.ts';

const Refused = z.strictObject({
  rejects: z.array(RejectedRow.schema),
  rejectedKeys: z.array(z.record(z.string(), z.string())),
});

/** The two files of a shard: rows and refused rows. */
export interface ShardFiles {
  readonly rows: string;
  readonly refused: string;
}

export const shardFiles = (path: string): ShardFiles => ({ rows: `${path}.parquet`, refused: `${path}.json` });

/** Facts about a staged shard. */
export const StagedShard = z.strictObject({
  accepted: z.int().min(0),
  refused: z.int().min(0),
  sha256: z.strictObject({ rows: z.string(), refused: z.string() }),
});
export type StagedShard = z.infer<typeof StagedShard>;

/** Stage the rows of these pages. @throws Quarantine when the adapter does not know a page */
export async function stageShard(
  spec: SourceSpec,
  pages: readonly ReadPage[],
  files: ShardFiles,
  onRows?: RowsToLoad['onRows'],
): Promise<StagedShard> {
  await makeFolder(dirname(files.rows));
  const rows = { spec, pages, target: files.rows, onRows };
  const { connection, close } = await openStaging(rows);
  try {
    await createFresh(connection, spec);
    const { accepted, rejects, rejectedKeys } = await loadHere(connection, rows);
    // DuckDB keeps the order in which rows were inserted.
    await connection.run(`COPY fresh TO ${literal(files.rows)} (FORMAT parquet)`);
    await writeWhole(files.refused, JSON.stringify({ rejects, rejectedKeys }));
    const sha256 = { rows: await sha256OfFile(files.rows), refused: await sha256OfFile(files.refused) };
    return { accepted, refused: rejects.length, sha256 };
  } catch (error) {
    await removeShard(files);
    throw error;
  } finally {
    await close();
  }
}

/**
 * Add the rows of a staged shard to the table `fresh`.
 * @param rowsBefore rows of its page in the parts before it
 */
export async function addShard(
  connection: DuckDBConnection,
  { rows, refused }: ShardFiles,
  rowsBefore: number,
): Promise<Pick<Loaded, 'rejects' | 'rejectedKeys'>> {
  const shard = Refused.parse(await readJson(refused));
  await connection.run(
    `INSERT INTO fresh BY NAME
      SELECT * REPLACE (page_row + ${rowsBefore} AS page_row) FROM read_parquet(${literal(rows)})`,
  );
  const rejects = shard.rejects.map((reject) => ({ ...reject, page_row: reject.page_row + rowsBefore }));
  return { rejects, rejectedKeys: shard.rejectedKeys };
}

export async function removeShard(files: ShardFiles): Promise<void> {
  for (const path of Object.values(files)) await rm(path, { force: true });
}

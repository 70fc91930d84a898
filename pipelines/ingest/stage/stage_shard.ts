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
import type { Page, SourceSpec } from '../../../sources/contract.ts';
import { decodeText } from '../../../sources/fetch/http/decode.ts';
import type { ReadPage } from '../reads.ts';
import { createFresh, loadHere, openStaging, type Loaded, type RowsToLoad } from './load_rows.ts';

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

/** Bytes of pages in a shard: one or two seconds of parsing, so that a lost worker costs little. */
const SHARD_BYTES = 8_000_000;
/** Pages in a shard: its job names them all. */
const SHARD_PAGES = 500;

/** A page, or the part `number` of `of` parts of a large one. */
export interface Part<P> {
  readonly page: P;
  readonly number: number;
  readonly of: number;
}

/** Split the pages of a read. Files of several suppliers are compared with each other, so they are one shard. */
export function splitIntoShards(
  spec: SourceSpec,
  pages: readonly ReadPage[],
  shardBytes = SHARD_BYTES,
): readonly (readonly Part<ReadPage>[])[] {
  if (spec.dropFolders) return [pages.map((page) => ({ page, number: 0, of: 1 }))];
  const shards: Part<ReadPage>[][] = [];
  let open: Part<ReadPage>[] = [];
  let bytes = 0;
  const close = (): void => {
    if (open.length > 0) shards.push(open);
    open = [];
    bytes = 0;
  };
  for (const page of pages) {
    const of = spec.divides?.kinds.includes(page.kind) ? Math.max(1, Math.ceil(page.size / shardBytes)) : 1;
    if (of > 1 || bytes + page.size > shardBytes || open.length === SHARD_PAGES) close();
    if (of > 1) {
      for (let number = 0; number < of; number += 1) shards.push([{ page, number, of }]);
    } else {
      open.push({ page, number: 0, of });
      bytes += page.size;
    }
  }
  close();
  return shards;
}

/** Places at which a page is divided. A page keeps its own, because finding them reads all its bytes. */
const cuts = new WeakMap<Page, readonly number[]>();

/** A part of an open page, with the page's head, as a page of its own. */
export function cutPart(spec: SourceSpec, { page, number, of }: Part<Page>): Page {
  if (of === 1) return page;
  if (!spec.divides) throw new Error(`source ${spec.name} does not divide its pages`);
  const at = cuts.get(page) ?? spec.divides.cuts(page.bytes, of);
  cuts.set(page, at);
  const head = page.bytes.subarray(0, at[0]);
  const bytes = Buffer.concat([head, page.bytes.subarray(at[number], at[number + 1])]);
  return { ...page, bytes, text: (fallback) => decodeText(bytes, fallback, page.url) };
}

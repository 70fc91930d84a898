/** One published snapshot, loaded, and the questions that are asked of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import PQueue from 'p-queue';
import { rowsOf } from '../lib/duck.ts';
import { normaliserOn, type Normalise } from './addresses.ts';
import { toJson } from './json.ts';
import { loadTables } from './loading.ts';
import { Manifest } from './manifest.ts';
import { ADDED_LATER, TABLES, type TableName } from './tables.ts';

/** Queries of one snapshot that run at a time; the others wait. Below the number of libuv workers. */
const QUERIES_AT_ONCE = 6;

export interface Snapshot {
  readonly id: string;
  readonly manifest: Manifest;
  /** Tables that came after this snapshot was built; they are empty. */
  readonly lacks: ReadonlySet<TableName>;
  /** What came after this snapshot was built, one sentence each; none where it has everything. */
  readonly gaps: readonly string[];
  /** Rows of a SELECT of columns of `table`, as JSON of its record. Parameters are $1, $2, ... */
  records(table: TableName, sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** Rows of any other SELECT: DECIMAL and BIGINT as strings. */
  rows(sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** The parts of a street address as the rows' addresses were normalised. */
  readonly normalise: Normalise;
  /** Close it. Only when nothing uses it any more. */
  close(): void;
}

/**
 * Load the snapshot in `folder`.
 * @throws an Error that says in one sentence what is missing or damaged
 */
export async function loadSnapshot(folder: string): Promise<Snapshot> {
  const path = join(folder, 'manifest.json');
  const checked = Manifest.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!checked.success) throw new Error(`manifest.json: ${checked.error.issues[0]?.path.join('.') ?? ''} ${checked.error.issues[0]?.message ?? ''}`);
  const manifest = checked.data;
  const { duck, gaps } = await loadTables(folder, manifest);
  const normalise = await normaliserOn(duck.connection);
  const queue = new PQueue({ concurrency: QUERIES_AT_ONCE });
  // Queries on one connection wait for each other, and opening one costs a twentieth of a millisecond.
  const rows = (sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]> => queue.add(async () => {
    const connection = await duck.instance.connect();
    try { return await rowsOf(connection, sql, params); } finally { connection.closeSync(); }
  });
  return {
    id: manifest.run_id, manifest, gaps, rows, normalise,
    lacks: new Set([...ADDED_LATER].filter((name) => !manifest.tables[name])),
    records: async (table, sql, params) => (await rows(sql, params)).map((row) => toJson(TABLES[table], row)),
    close: () => { duck.close(); },
  };
}

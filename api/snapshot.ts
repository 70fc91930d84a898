/** One published snapshot, loaded, and the questions that are asked of it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import PQueue from 'p-queue';
import { rowsOf } from '../lib/duck.ts';
import { openAddresses, type Normalise } from './addresses.ts';
import { TableColumns, type ReadRows } from './columns.ts';
import { parsed, toJson } from './json.ts';
import { loadTables } from './loading.ts';
import { Manifest } from './manifest.ts';
import { recordsKept } from './records.ts';
import { ADDED_LATER, TABLES, type ListedTable, type TableName } from './tables.ts';

/** Queries of one snapshot that run at a time; the others wait. Below the number of libuv workers. */
const QUERIES_AT_ONCE = 6;

export interface Snapshot {
  readonly id: string;
  readonly manifest: Manifest;
  /** Tables that came after this snapshot was built; they are empty. */
  readonly lacks: ReadonlySet<TableName>;
  /** What came after this snapshot was built, one sentence each; none where it has everything. */
  readonly gaps: readonly string[];
  /** Rows of a SELECT of columns of `table` that the database holds, as JSON of its record. Parameters are $1, $2, ... */
  records(table: TableName, sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** Rows of any other SELECT: DECIMAL and BIGINT as strings. */
  rows(sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** Columns of a table in memory, where a query does not wait for the database. */
  columns(table: TableName): TableColumns;
  /** JSON texts of the records in these rows of a table, in their order, with these columns in theirs. */
  texts(table: ListedTable, columns: readonly string[], rows: Iterable<number>): readonly Buffer[];
  /** Whole records of the rows of a table that the rest of a SELECT finds: conditions, an order, a limit. */
  whole(table: ListedTable, rest: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]>;
  /** The parts of a street address as the rows' addresses were normalised. */
  readonly normalise: Normalise;
  /** Close it. Only when nothing uses it any more. */
  close(): void;
}

/**
 * Load the snapshot in `folder`.
 * @param atOnce tables that are read beside each other, a processor each
 * @throws an Error that says in one sentence what is missing or damaged
 */
export async function loadSnapshot(folder: string, atOnce = 1): Promise<Snapshot> {
  const path = join(folder, 'manifest.json');
  const checked = Manifest.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!checked.success) throw new Error(`manifest.json: ${checked.error.issues[0]?.path.join('.') ?? ''} ${checked.error.issues[0]?.message ?? ''}`);
  const manifest = checked.data;
  const { duck, gaps, lines } = await loadTables(folder, manifest, atOnce);
  const addresses = await openAddresses().catch((error: unknown) => {
    duck.close();
    throw error;
  });
  const queue = new PQueue({ concurrency: QUERIES_AT_ONCE });
  // Queries on one connection wait for each other, and opening one costs a twentieth of a millisecond.
  const on = <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> => queue.add(async () => {
    const connection = await duck.instance.connect();
    try { return await work(connection); } finally { connection.closeSync(); }
  });
  const rows = (sql: string, params?: DuckDBValue[]): Promise<Record<string, unknown>[]> => on((connection) => rowsOf(connection, sql, params));
  const read: ReadRows = (sql, each, params) => on(async (connection) => {
    for await (const chunk of await connection.stream(sql, params)) {
      const [first, second] = [chunk.getColumnVector(0), chunk.columnCount > 1 ? chunk.getColumnVector(1) : null];
      for (let row = 0; row < first.itemCount; row += 1) each(first.getItem(row), second?.getItem(row) ?? null);
    }
  });
  const columns = new Map<TableName, TableColumns>();
  const kept = recordsKept();
  const kinds = new Map<string, number>();
  const kindOf = (table: TableName, names: readonly string[]): number => {
    const name = `${table} ${names.join(' ')}`;
    const kind = kinds.get(name) ?? kinds.size;
    kinds.set(name, kind);
    return kind;
  };
  const texts: Snapshot['texts'] = (table, names, wanted) => {
    const [kind, own] = [kindOf(table, names), lines.get(table)];
    if (!own) throw new Error(`the records of ${table} are not held`);
    return Array.from(wanted, (row) => kept.text(kind, row, () => own.text(row, names)));
  };
  return {
    id: manifest.run_id, manifest, gaps, rows, normalise: addresses.normalise,
    lacks: new Set([...ADDED_LATER].filter((name) => !manifest.tables[name])),
    records: async (table, sql, params) => (await rows(sql, params)).map((row) => toJson(TABLES[table], row)),
    columns(table) {
      let own = columns.get(table);
      if (!own) columns.set(table, own = new TableColumns(table, manifest.tables[table]?.rows ?? 0, read));
      return own;
    },
    texts,
    async whole(table, rest, params) {
      const found = await rows(`SELECT rowid AS row FROM ${table} ${rest}`, params);
      return texts(table, TABLES[table].columns.map((c) => c.name), found.map(({ row }) => Number(row))).map(parsed);
    },
    close() {
      kept.clear();
      addresses.close();
      duck.close();
    },
  };
}
